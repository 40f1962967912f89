/*
title = "Stages of single recalls, from queue to pool"
topic = "requests"
why = "Where a recalled file spent its time on the way to the user, for each stage of the slowest recalls or of one file."
takes = ["first_day", "last_day"]

[params.file]
type = "VARCHAR"
default = ""
doc = "dCache's pnfsid of one file; default: all files"

[params.n]
type = "BIGINT"
default = 50
doc = "number of recalls; the slowest come first"

[columns]
pnfsid = { type = "VARCHAR", doc = "dCache's id of the file" }
pool = { type = "VARCHAR", doc = "disk pool" }
storage_group = { type = "VARCHAR", doc = "storage group in the file's storage class" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "size of the file" }
created_at = { type = "TIMESTAMP", doc = "when the pool requested the file, UTC" }
latency_s = { type = "DOUBLE", unit = "s", doc = "time from the request until the pool had the file" }
slowest = { type = "VARCHAR", doc = "stage that took longest" }
queue_s = { type = "DOUBLE", unit = "s", doc = "time that the request spent in queues" }
mount_s = { type = "DOUBLE", unit = "s", doc = "time in which the tape was mounted; NULL where no log shows the mount" }
turn_s = { type = "DOUBLE", unit = "s", doc = "time in which the drive read other files first; NULL for ENDIT" }
position_s = { type = "DOUBLE", unit = "s", doc = "time in which the tape wound to the file; NULL for ENDIT" }
read_s = { type = "DOUBLE", unit = "s", doc = "time in which the file was read; for ENDIT until the end of the run" }
deliver_s = { type = "DOUBLE", unit = "s", doc = "time from the end of the read in the drive until the pool had the file" }
via = { type = "VARCHAR", doc = "cta or endit: system whose log shows the recall" }
volume = { type = "VARCHAR", doc = "tape label" }
drive = { type = "VARCHAR", doc = "drive" }
n_tries = { type = "BIGINT", doc = "number of reads or runs until the file was recalled" }
outcome = { type = "VARCHAR", doc = "done, failed or cancelled" }
path = { type = "VARCHAR", doc = "log file with the pool's record" }
line_no = { type = "BIGINT", doc = "line of the pool's record" }
*/
SELECT r.pnfsid, r.pool, r.storage_group, r.bytes / 1e9 AS volume_gb, r.created_at, r.latency_s, r.slowest, r.queue_s, r.mount_s,
       r.turn_s, r.position_s, r.read_s, r.deliver_s, r.via, r.volume, r.drive, r.n_tries, r.outcome, f.path, r.line_no
FROM silver.recall r CROSS JOIN site.setting c LEFT JOIN ops.file f ON f.file_id = r.file_id
WHERE in_days(r.created_at, $first_day, $last_day, c.zone) AND $file IN ('', r.pnfsid)
ORDER BY r.latency_s DESC, r.pnfsid, r.created_at
LIMIT $n
