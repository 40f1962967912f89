/*
title = "Requests over time, and the time they spent in each stage"
topic = "requests"
why = "Shows how many files were requested in each time step, and how long these requests spent in each stage: queues, mounting, earlier reads of other files, tape motion, reading, and delivery to the pool."
takes = ["first_day", "last_day", "group"]

[params.pool]
type = "VARCHAR"
default = ""
doc = "only this disk pool; requests in the tape system's own queue are then left out. Default: all requests"

[params.n]
type = "BIGINT"
default = "96"
doc = "maximum number of time steps"

[columns]
asked_by = { type = "VARCHAR", doc = "where the request was logged. pool: by a disk pool. client: in the tape system's own queue. The same file may appear under both" }
mode = { type = "VARCHAR", doc = "read (from tape) or write (to tape)" }
bin_at = { type = "TIMESTAMP", doc = "start of the time step in which the files were requested, UTC" }
bin_s = { type = "DOUBLE", unit = "s", doc = "length of the time step: half an hour, or a multiple of it to limit the number of points" }
n_requests = { type = "BIGINT", doc = "number of requests" }
n_failed = { type = "BIGINT", doc = "number of a pool's requests that failed or were cancelled; NULL for requests in the tape system's own queue" }
asked_gb = { type = "DOUBLE", unit = "GB", doc = "size of the requested files; NULL where no log shows it" }
n_followed = { type = "BIGINT", doc = "number of a pool's restores that the tape system's log also shows, so that single stages are known; 0 for requests in the tape system's own queue" }
queue_hours = { type = "DOUBLE", unit = "h", doc = "sum, over the requests, of the time spent in queues; requests for which no log shows this time are left out" }
mount_hours = { type = "DOUBLE", unit = "h", doc = "sum, over the restores in n_followed, of the time that mounting the tape took" }
turn_hours = { type = "DOUBLE", unit = "h", doc = "sum, over the restores in n_followed, of the time from the mount until the drive began to wind to the file (label check and reads of earlier files)" }
position_hours = { type = "DOUBLE", unit = "h", doc = "sum, over the restores in n_followed, of the time to wind the tape to the file" }
read_hours = { type = "DOUBLE", unit = "h", doc = "sum, over the restores in n_followed, of the time to read the file. For ENDIT, this includes tape motion and the other files of the run" }
deliver_hours = { type = "DOUBLE", unit = "h", doc = "sum, over the restores in n_followed, of the time from the end of the read in the drive until the pool had the file" }
served_hours = { type = "DOUBLE", unit = "h", doc = "sum, over the requests not in n_followed, of the time from the end of the queue wait until the request was served" }
*/
WITH wide AS (
    SELECT zone, CAST(1800 * ceil((date_diff('day', CAST($first_day AS DATE), CAST($last_day AS DATE)) + 1) * 48 / $n)
                      AS BIGINT) AS bin_s
    FROM site.setting
),
asked AS (
    SELECT 'pool' AS asked_by, CASE p.operation WHEN 'restore' THEN 'read' ELSE 'write' END AS mode, p.created_at AS asked_at,
           p.outcome <> 'done' AS has_failed, p.bytes, r.pnfsid IS NOT NULL AS is_followed,
           coalesce(r.queue_s, p.queue_s) AS queue_s, r.mount_s, r.turn_s, r.position_s, r.read_s, r.deliver_s,
           CASE WHEN r.pnfsid IS NULL THEN p.transfer_s END AS served_s
    FROM silver.pool_request p
    LEFT JOIN silver.recall r
        ON p.operation = 'restore' AND r.system = p.system AND r.pool IS NOT DISTINCT FROM p.pool AND r.pnfsid = p.pnfsid AND r.created_at = p.created_at
    WHERE near_days(p.day, $first_day, $last_day) AND $group IN ('', p.storage_group) AND $pool IN ('', p.pool)
    UNION ALL BY NAME
    SELECT 'client' AS asked_by, mode, queued_at AS asked_at, FALSE AS is_followed,
           CASE WHEN assigned_at >= queued_at THEN date_diff('microsecond', queued_at, assigned_at) / 1e6 END AS queue_s,
           CASE WHEN done_at >= assigned_at THEN date_diff('microsecond', assigned_at, done_at) / 1e6 END AS served_s
    FROM silver.request
    WHERE near_days(day, $first_day, $last_day) AND queued_at IS NOT NULL AND mode IS NOT NULL AND $pool = ''
      AND $group IN ('', storage_group)
)
SELECT a.asked_by, a.mode, time_bucket(to_seconds(w.bin_s), a.asked_at) AS bin_at, CAST(any_value(w.bin_s) AS DOUBLE) AS bin_s,
       count(*) AS n_requests, CASE a.asked_by WHEN 'pool' THEN count(*) FILTER (a.has_failed) END AS n_failed,
       CAST(sum(a.bytes) AS DOUBLE) / 1e9 AS asked_gb, count(*) FILTER (a.is_followed) AS n_followed,
       -- whole microseconds: their sum does not depend on the order in which the requests come
       sum(CAST(round(a.queue_s * 1e6) AS BIGINT)) / 3600e6 AS queue_hours,
       sum(CAST(round(a.mount_s * 1e6) AS BIGINT)) / 3600e6 AS mount_hours,
       sum(CAST(round(a.turn_s * 1e6) AS BIGINT)) / 3600e6 AS turn_hours,
       sum(CAST(round(a.position_s * 1e6) AS BIGINT)) / 3600e6 AS position_hours,
       sum(CAST(round(a.read_s * 1e6) AS BIGINT)) / 3600e6 AS read_hours,
       sum(CAST(round(a.deliver_s * 1e6) AS BIGINT)) / 3600e6 AS deliver_hours,
       sum(CAST(round(a.served_s * 1e6) AS BIGINT)) / 3600e6 AS served_hours
FROM asked a CROSS JOIN wide w
WHERE in_days(a.asked_at, $first_day, $last_day, w.zone)
GROUP BY a.asked_by, a.mode, bin_at
ORDER BY a.asked_by, a.mode, bin_at
