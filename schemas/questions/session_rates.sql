/*
title = "Rates and efficiency of each mount"
topic = "mounts"
was = ["mounts", "slow_sessions"]
why = "Shows for each mount its drive rate, overall rate, efficiency f, order of reads, and the share of the tape's files that were read. Mounts that lost the most time come first."
if_empty = "Only mounts in which files moved are shown. This needs a log of the movers or tape daemons, counters of drives, or for the same time a list of mounts and their data: for Enstore exports of tape_mounts and encp_xfer. `tapescope ask listed_drives` shows mounts without data."
takes = ["first_day", "last_day", "station", "drive", "group"]

[params.volume]
type = "VARCHAR"
default = ""
doc = "tape label of one tape; default: all tapes"

[params.min_gb]
type = "DOUBLE"
default = "0"
doc = "minimum amount of data per mount, in GB. Smaller mounts are left out, because their rates depend almost only on the time for mounting"

[params.slowest]
type = "VARCHAR"
default = ""
choices = ["", "drive"]
doc = "which mounts are shown. empty: all. drive: for each drive only the mount with the lowest efficiency f; the lowest f comes first"

[params.session]
type = "VARCHAR"
default = ""
doc = "session_id of one mount; default: all mounts"

[params.n]
type = "BIGINT"
default = "1000000"
doc = "maximum number of mounts; the mounts that lost the most time come first (with slowest=drive: the mounts with the lowest f)"

[columns]
session_id = { type = "VARCHAR", doc = "identifier of the mount" }
day = { type = "DATE", doc = "site day of the mount request; where no log shows the request, site day of the first logged step of the mount" }
station = { type = "VARCHAR", doc = "station to which most bytes of the mount went, or from which they came" }
storage_group = { type = "VARCHAR", doc = "storage group (owner of the files, e.g. an experiment) to which most bytes of the mount belong" }
volume = { type = "VARCHAR", doc = "tape label" }
drive = { type = "VARCHAR", doc = "drive" }
mode = { type = "VARCHAR", doc = "read, write or mixed" }
pattern = { type = "VARCHAR", doc = "order in which the mount read files: single, complete, sequential, alternate, sparse or random, as defined in gold.mount. NULL for mounts that wrote, and where no log shows the order" }
requested_at = { type = "TIMESTAMP", doc = "when the mount was requested, UTC; NULL where no log shows it" }
n_files = { type = "BIGINT", doc = "number of files that the mount moved completely" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "data of the mount's files that was written to or read from tape" }
file_share = { type = "DOUBLE", unit = "1", doc = "number of different files that the mount read / number of files on the tape. NULL for mounts that wrote, and where the number of files on the tape is not known" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / time in which the drive moved them" }
drive_rate_basis = { type = "VARCHAR", doc = "how the time in the drive rate was measured. call: inside drive calls. block: in the loop over blocks, with checksums and waits for the buffer. encp: by the client, with waits for data and file marks. counter, estimate: see the glossary. mixed: in different ways, or not for all files; there is then no drive rate" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / wall-clock time from mount request to end of dismount" }
f = { type = "DOUBLE", unit = "1", doc = "overall rate / drive rate" }
wall_s = { type = "DOUBLE", unit = "s", doc = "duration of the mount, from mount request to end of dismount. For a mount known only from a list of a server or library, it starts when the tape is in the drive" }
position_s = { type = "DOUBLE", unit = "s", doc = "time of tape motion in the mount" }
n_mounts_day = { type = "BIGINT", doc = "number of mounts of the same tape on the site day of this mount; only mounts in which files moved count" }
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
