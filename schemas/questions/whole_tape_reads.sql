/*
title = "Reading single files compared with reading the complete tape"
topic = "tapes"
why = "Estimates, for each mount that only read, how long the same drive would have taken to read the complete tape. Each single file costs a seek. If many files of a tape are needed, reading the complete tape can therefore be faster."
takes = ["first_day", "last_day"]

[params.mount_s]
type = "DOUBLE"
default = "120"
doc = "assumed time that a complete read needs before the first file and after the last, mainly for mounting and dismounting"

[params.file_s]
type = "DOUBLE"
default = "4.4"
doc = "assumed extra time per file in a complete read, in addition to moving the file's data"

[columns]
session_id = { type = "VARCHAR", doc = "identifier of the mount" }
drive = { type = "VARCHAR", doc = "drive" }
volume = { type = "VARCHAR", doc = "tape label" }
requested_at = { type = "TIMESTAMP", doc = "when the mount was requested, UTC; NULL where no log shows it" }
pattern = { type = "VARCHAR", doc = "order in which the mount read files, as defined in gold.mount" }
n_files = { type = "BIGINT", doc = "number of different files that the mount read" }
byte_share = { type = "DOUBLE", unit = "1", doc = "bytes of the different files that the mount read / all bytes on the tape" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "drive rate of the mount" }
f = { type = "DOUBLE", unit = "1", doc = "efficiency of the mount: overall rate / drive rate" }
wall_s = { type = "DOUBLE", unit = "s", doc = "wall-clock time from mount request to end of dismount" }
whole_s = { type = "DOUBLE", unit = "s", doc = "estimated time to read the complete tape: mount_s + files on the tape x file_s + bytes on the tape / drive rate" }
is_whole_quicker = { type = "BOOLEAN", doc = "true if the mount read only some of the tape's files, and reading the complete tape would have been faster" }
break_even = { type = "DOUBLE", unit = "1", doc = "share of the tape's files above which reading the complete tape is faster. It is assumed that each single file takes as long as the average file of this mount" }
*/
SELECT y.session_id, y.drive, y.volume, y.requested_at, y.pattern, y.n_different AS n_files, y.byte_share, y.drive_rate_mb_s, y.f, y.wall_s,
       $mount_s + y.n_volume_files * $file_s + y.tape_gb * 1e3 / y.drive_rate_mb_s AS whole_s,
       y.file_share < 1
           AND y.wall_s > $mount_s + y.n_volume_files * $file_s + y.tape_gb * 1e3 / y.drive_rate_mb_s AS is_whole_quicker,
       ($mount_s + y.n_volume_files * $file_s + y.tape_gb * 1e3 / y.drive_rate_mb_s) / (y.wall_s / y.n_different)
           / y.n_volume_files AS break_even
FROM gold.mount y
WHERE y.site_day BETWEEN $first_day AND $last_day AND y.mode = 'read' AND y.wall_s > 0 AND y.drive_rate_mb_s > 0
  AND y.n_different > 0
ORDER BY is_whole_quicker DESC, y.byte_share, y.session_id
