/*
title = "One recall, from queue to pool"
topic = "requests"
why = "Where a file from tape spent its time on the way to the user: each stage of the slowest recalls, or of one file."
takes = ["first_day", "last_day"]

[params.file]
type = "VARCHAR"
default = ""
doc = "dCache's name of a file (pnfsid); default: all"

[params.n]
type = "BIGINT"
default = 50
doc = "number of recalls, the slowest first"

[columns]
pnfsid = { type = "VARCHAR", doc = "dCache's name of the file" }
pool = { type = "VARCHAR", doc = "disk pool" }
storage_group = { type = "VARCHAR", doc = "storage group of the class" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "size of the file" }
created_at = { type = "TIMESTAMP", doc = "when the pool made the request, UTC" }
latency_s = { type = "DOUBLE", unit = "s", doc = "until the pool had the file" }
slowest = { type = "VARCHAR", doc = "longest stage" }
queue_s = { type = "DOUBLE", unit = "s", doc = "in queues" }
mount_s = { type = "DOUBLE", unit = "s", doc = "mounting; NULL where no log has the mount" }
turn_s = { type = "DOUBLE", unit = "s", doc = "while the drive read other files; NULL for ENDIT" }
position_s = { type = "DOUBLE", unit = "s", doc = "winding; NULL of ENDIT" }
read_s = { type = "DOUBLE", unit = "s", doc = "reading; for ENDIT until the run was done" }
deliver_s = { type = "DOUBLE", unit = "s", doc = "from the drive to the pool" }
via = { type = "VARCHAR", doc = "cta or endit: the log that has it" }
volume = { type = "VARCHAR", doc = "tape label" }
drive = { type = "VARCHAR", doc = "drive" }
n_tries = { type = "BIGINT", doc = "reads or runs it took" }
outcome = { type = "VARCHAR", doc = "done, failed or cancelled" }
path = { type = "VARCHAR", doc = "file of the pool's record" }
line_no = { type = "BIGINT", doc = "its line" }
*/
SELECT r.pnfsid, r.pool, r.storage_group, r.bytes / 1e9 AS volume_gb, r.created_at, r.latency_s, r.slowest, r.queue_s, r.mount_s,
       r.turn_s, r.position_s, r.read_s, r.deliver_s, r.via, r.volume, r.drive, r.n_tries, r.outcome, f.path, r.line_no
FROM silver.recall r CROSS JOIN site.setting c LEFT JOIN ops.file f ON f.file_id = r.file_id
WHERE in_days(r.created_at, $first_day, $last_day, c.zone) AND $file IN ('', r.pnfsid)
ORDER BY r.latency_s DESC, r.pnfsid, r.created_at
LIMIT $n
