/*
title = "Stages of single recalls, from the queue to the pool"
topic = "requests"
why = "Shows how long each stage of a recall took, for the slowest recalls or for one file."
takes = ["first_day", "last_day"]

[params.file]
type = "VARCHAR"
default = ""
doc = "dCache's id (pnfsid) of one file; default: all files"

[params.n]
type = "BIGINT"
default = 50
doc = "maximum number of recalls; the slowest come first"

[columns]
pnfsid = { type = "VARCHAR", doc = "dCache's id of the file" }
pool = { type = "VARCHAR", doc = "disk pool" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the file, e.g. an experiment, according to the file's storage class in dCache" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "size of the file" }
created_at = { type = "TIMESTAMP", doc = "when the pool requested the file, UTC" }
latency_s = { type = "DOUBLE", unit = "s", doc = "time from the request until the pool had the file" }
slowest = { type = "VARCHAR", doc = "stage in which the file spent most time: queue, mount, turn, position, read or deliver" }
queue_s = { type = "DOUBLE", unit = "s", doc = "time that the request spent in the queues of pool and tape system" }
mount_s = { type = "DOUBLE", unit = "s", doc = "time from the end of the queue until the tape was in the drive; 0 if the tape was already in the drive. NULL where no log shows the mount" }
turn_s = { type = "DOUBLE", unit = "s", doc = "time from the mount until the drive began to wind to the file: label check and reads of earlier files. NULL for ENDIT, whose logs do not show this time separately" }
position_s = { type = "DOUBLE", unit = "s", doc = "time to wind the tape to the file; NULL for ENDIT, whose logs do not show this time separately" }
read_s = { type = "DOUBLE", unit = "s", doc = "time to read the file. For ENDIT, time from the mount to the end of the run that read the file; this includes tape motion and the run's other files" }
deliver_s = { type = "DOUBLE", unit = "s", doc = "time from the end of the read in the drive until the pool had the file" }
via = { type = "VARCHAR", doc = "tape system whose log shows the recall: cta or endit" }
volume = { type = "VARCHAR", doc = "tape label" }
drive = { type = "VARCHAR", doc = "drive" }
n_tries = { type = "BIGINT", doc = "number of attempts from the request until an hour after its end: for CTA, reads of the file; for ENDIT, runs that requested the file" }
outcome = { type = "VARCHAR", doc = "done, failed or cancelled" }
path = { type = "VARCHAR", doc = "log file that contains the pool's record of the recall" }
line_no = { type = "BIGINT", doc = "number of the line with the pool's record of the recall" }
*/
SELECT r.pnfsid, r.pool, r.storage_group, r.bytes / 1e9 AS volume_gb, r.created_at, r.latency_s, r.slowest, r.queue_s, r.mount_s,
       r.turn_s, r.position_s, r.read_s, r.deliver_s, r.via, r.volume, r.drive, r.n_tries, r.outcome, f.path, r.line_no
FROM silver.recall r CROSS JOIN site.setting c LEFT JOIN ops.file f ON f.file_id = r.file_id
WHERE in_days(r.created_at, $first_day, $last_day, c.zone) AND $file IN ('', r.pnfsid)
ORDER BY r.latency_s DESC, r.pnfsid, r.created_at
LIMIT $n
