/*
title = "Mounts and what they yielded"
why = "Each mount with its rates, what share of the tape it read, and in which pattern."
takes = ["first_day", "last_day", "station", "drive", "group"]

[params.n]
type = "BIGINT"
default = "5000"
doc = "most mounts, those with most time lost first"

[columns]
session_id = { type = "VARCHAR", doc = "mount" }
day = { type = "DATE", doc = "site day of the mount request" }
station = { type = "VARCHAR", doc = "station that asked for most of its bytes" }
drive = { type = "VARCHAR", doc = "drive" }
volume = { type = "VARCHAR", doc = "tape label" }
storage_group = { type = "VARCHAR", doc = "storage group of most of its bytes" }
mode = { type = "VARCHAR", doc = "read, write or mixed" }
pattern = { type = "VARCHAR", doc = "read pattern: single, complete, sequential, alternate, sparse, random; NULL of writes" }
requested_at = { type = "TIMESTAMP", doc = "mount request" }
n_files = { type = "BIGINT", doc = "files moved whole" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "moved on tape by them" }
file_share = { type = "DOUBLE", unit = "1", doc = "share of the tape's files; NULL where nobody knows how many it has" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / time the drive worked on them" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / time from request to dismounted" }
f = { type = "DOUBLE", unit = "1", doc = "overall / drive rate" }
wall_s = { type = "DOUBLE", unit = "s", doc = "request to dismounted" }
position_s = { type = "DOUBLE", unit = "s", doc = "tape motion" }
n_mounts_day = { type = "BIGINT", doc = "mounts of the tape on that day" }
*/
SELECT r.session_id, r.day, r.station, r.drive, r.volume, y.storage_group, r.mode, y.pattern, r.requested_at, r.n_files,
       r.volume_gb, y.file_share, r.drive_rate_mb_s, r.overall_rate_mb_s, r.f, r.wall_s, y.position_s, y.n_mounts_day
FROM gold.session_rate r
LEFT JOIN gold.mount_yield y ON y.system = r.system AND y.session_id = r.session_id
WHERE r.day BETWEEN $first_day AND $last_day AND $station IN ('', r.station) AND $drive IN ('', r.drive)
  AND $group IN ('', y.storage_group)
ORDER BY r.wall_s - r.drive_s DESC NULLS LAST, r.session_id
LIMIT $n
