/*
title = "Drive rate and overall rate of mounts"
topic = "mounts"
was = ["mounts", "slow_sessions"]
why = "Drive rate and overall rate of each mount, their ratio f, the share of the tape it read, and the pattern. Mounts that lost most time come first."
takes = ["first_day", "last_day", "station", "drive", "group"]

[params.volume]
type = "VARCHAR"
default = ""
doc = "only mounts of this tape; default: all"

[params.min_gb]
type = "DOUBLE"
default = "0"
doc = "mounts that moved less are left out, because mounting alone decides their rate"

[params.slowest]
type = "VARCHAR"
default = ""
choices = ["", "drive"]
doc = "drive: only the mount with the lowest f of each drive"

[params.session]
type = "VARCHAR"
default = ""
doc = "one mount, by its session_id; default: all"

[params.n]
type = "BIGINT"
default = "1000000"
doc = "most mounts, those with most time lost first"

[columns]
session_id = { type = "VARCHAR", doc = "mount" }
day = { type = "DATE", doc = "site day of the mount request, or of the first logged step" }
station = { type = "VARCHAR", doc = "station that requested most of its bytes" }
storage_group = { type = "VARCHAR", doc = "storage group of most of its bytes" }
volume = { type = "VARCHAR", doc = "tape label" }
drive = { type = "VARCHAR", doc = "drive" }
mode = { type = "VARCHAR", doc = "read, write or mixed" }
pattern = { type = "VARCHAR", doc = "read pattern: single, complete, sequential, alternate, sparse, random; NULL for writes" }
requested_at = { type = "TIMESTAMP", doc = "mount request, UTC" }
n_files = { type = "BIGINT", doc = "complete files" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "moved on tape in these files" }
file_share = { type = "DOUBLE", unit = "1", doc = "share of the tape's files; NULL where their number is not known" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / time the drive worked on them" }
drive_rate_basis = { type = "VARCHAR", doc = "call: inside drive calls; block: the block loop, with checksums and waits in the buffer; encp: the client's rate, with waits for data and file marks" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / wall-clock time from mount request to dismounted" }
f = { type = "DOUBLE", unit = "1", doc = "overall / drive rate" }
wall_s = { type = "DOUBLE", unit = "s", doc = "request to dismounted" }
position_s = { type = "DOUBLE", unit = "s", doc = "tape motion" }
n_mounts_day = { type = "BIGINT", doc = "mounts of the tape on that day" }
*/
WITH chosen AS (
    SELECT *, row_number() OVER (PARTITION BY drive ORDER BY f NULLS LAST, requested_at, session_id) AS place
    FROM gold.mount
    WHERE site_day BETWEEN $first_day AND $last_day AND $station IN ('', station) AND $drive IN ('', drive)
      AND $volume IN ('', volume) AND $group IN ('', storage_group) AND $session IN ('', session_id)
      AND ($min_gb = 0 OR volume_gb >= $min_gb)
)
SELECT session_id, site_day AS day, station, storage_group, volume, drive, mode, pattern, requested_at, n_files, volume_gb,
       file_share, drive_rate_mb_s, drive_rate_basis, overall_rate_mb_s, f, wall_s, position_s, n_mounts_day
FROM chosen
WHERE $slowest = '' OR (place = 1 AND f IS NOT NULL)
ORDER BY CASE WHEN $slowest = 'drive' THEN f END, CASE WHEN $slowest = 'drive' THEN drive END, wall_s - drive_s DESC NULLS LAST, session_id
LIMIT $n
