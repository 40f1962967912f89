/*
title = "What recalls wait for"
topic = "requests"
why = "How much each stage took of the time users waited for files from tape: queue, mounts, other files' turns, winding, reading, or delivery to the pool."
takes = ["first_day", "last_day"]

[columns]
pool = { type = "VARCHAR", doc = "disk pool" }
storage_group = { type = "VARCHAR", doc = "storage group of the class" }
n_recalls = { type = "BIGINT", doc = "restores requested in the period" }
n_followed = { type = "BIGINT", doc = "restores that a tape system's log has too; the following columns refer to them" }
median_latency_s = { type = "DOUBLE", unit = "s", doc = "request to file on disk, median" }
latency_hours = { type = "DOUBLE", unit = "h", doc = "latency of the requests, summed" }
queue_share = { type = "DOUBLE", unit = "1", doc = "part of the latency spent in queues" }
mount_share = { type = "DOUBLE", unit = "1", doc = "mounting" }
turn_share = { type = "DOUBLE", unit = "1", doc = "while the drive read other files" }
position_share = { type = "DOUBLE", unit = "1", doc = "winding" }
read_share = { type = "DOUBLE", unit = "1", doc = "reading; for ENDIT with winding and the other files of the run" }
deliver_share = { type = "DOUBLE", unit = "1", doc = "from the drive to the pool" }
slowest = { type = "VARCHAR", doc = "the stage that was longest for most requests" }
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
LEFT JOIN silver.recall r ON r.system = a.system AND r.pool = a.pool AND r.pnfsid = a.pnfsid AND r.created_at = a.created_at
GROUP BY a.pool, a.storage_group
ORDER BY latency_hours DESC NULLS LAST, a.pool, a.storage_group
