/*
title = "Time of recalls by stage"
topic = "requests"
why = "Shows how the time that users wait for files from tape is divided into stages: queues, mounting, earlier reads of other files, tape motion, reading, and delivery to the pool."
takes = ["first_day", "last_day"]

[columns]
pool = { type = "VARCHAR", doc = "disk pool" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment, according to the files' storage class in dCache" }
n_recalls = { type = "BIGINT", doc = "number of restores requested in the period" }
n_followed = { type = "BIGINT", doc = "number of restores requested in the period that also appear in a tape system's log. The columns from median_latency_s on refer only to these restores" }
median_latency_s = { type = "DOUBLE", unit = "s", doc = "median time from the request until the file was on disk" }
latency_hours = { type = "DOUBLE", unit = "h", doc = "sum of the times from request until the file was on disk" }
queue_share = { type = "DOUBLE", unit = "1", doc = "share of latency_hours spent in the queues of pool and tape system" }
mount_share = { type = "DOUBLE", unit = "1", doc = "share of latency_hours spent on mounting the tape" }
turn_share = { type = "DOUBLE", unit = "1", doc = "share of latency_hours from the mount until the drive began to wind to the file: label check and reads of earlier files" }
position_share = { type = "DOUBLE", unit = "1", doc = "share of latency_hours spent on tape motion" }
read_share = { type = "DOUBLE", unit = "1", doc = "share of latency_hours spent reading; for ENDIT, tape motion and reading of other files in the same run are included" }
deliver_share = { type = "DOUBLE", unit = "1", doc = "share of latency_hours that passed from the end of the read in the drive until the pool had the file" }
slowest = { type = "VARCHAR", doc = "stage that was the longest in the largest number of restores: queue, mount, turn, position, read or deliver" }
*/
WITH asked AS (
    SELECT p.pool, p.storage_group, p.pnfsid, p.system, p.created_at FROM silver.pool_request p CROSS JOIN site.setting c
    WHERE p.operation = 'restore' AND near_days(p.day, $first_day, $last_day)
      AND in_days(p.created_at, $first_day, $last_day, c.zone)
)
SELECT a.pool, a.storage_group, count(*) AS n_recalls, count(r.pnfsid) AS n_followed, median(r.latency_s) AS median_latency_s,
       sum(r.latency_s) / 3600 AS latency_hours, sum(r.queue_s) / nullif(sum(r.latency_s), 0) AS queue_share,
       sum(r.mount_s) / nullif(sum(r.latency_s), 0) AS mount_share, sum(r.turn_s) / nullif(sum(r.latency_s), 0) AS turn_share,
       sum(r.position_s) / nullif(sum(r.latency_s), 0) AS position_share,
       sum(r.read_s) / nullif(sum(r.latency_s), 0) AS read_share, sum(r.deliver_s) / nullif(sum(r.latency_s), 0) AS deliver_share,
       mode(r.slowest) AS slowest
FROM asked a
LEFT JOIN silver.recall r ON r.system = a.system AND r.pool IS NOT DISTINCT FROM a.pool AND r.pnfsid = a.pnfsid AND r.created_at = a.created_at
GROUP BY a.pool, a.storage_group
ORDER BY latency_hours DESC NULLS LAST, a.pool, a.storage_group
