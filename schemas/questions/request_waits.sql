/*
title = "How long requests wait"
topic = "requests"
why = "The wait from a request to the drive that takes it, by storage group. Waits of hours come from demand, not from drives."
takes = ["first_day", "last_day", "station", "group"]

[columns]
storage_group = { type = "VARCHAR", doc = "storage group" }
mode = { type = "VARCHAR", doc = "read or write" }
n_requests = { type = "BIGINT", doc = "requests with a known wait" }
p50_s = { type = "DOUBLE", unit = "s", doc = "median wait" }
p95_s = { type = "DOUBLE", unit = "s", doc = "19 of 20 waited less" }
max_s = { type = "DOUBLE", unit = "s", doc = "longest wait" }
n_retried = { type = "BIGINT", doc = "requests tried more than once" }
n_of_mounts = { type = "BIGINT", doc = "part of n_requests from mounts of CTA without a frontend's log, with the wait of the oldest file of each" }
*/
WITH waited AS (
    SELECT q.storage_group, q.mode, q.n_tries, q.is_of_mount, date_diff('microsecond', q.queued_at, q.assigned_at) / 1e6 AS wait_s
    FROM silver.request q CROSS JOIN site.setting c
    WHERE near_days(q.day, $first_day, $last_day) AND q.assigned_at >= q.queued_at
      AND in_days(q.queued_at, $first_day, $last_day, c.zone)
      AND $station IN ('', q.station) AND $group IN ('', q.storage_group)
)
SELECT storage_group, mode, count(*) AS n_requests, median(wait_s) AS p50_s, quantile_cont(wait_s, 0.95) AS p95_s,
       max(wait_s) AS max_s, count(*) FILTER (n_tries > 1) AS n_retried,
       count(*) FILTER (is_of_mount) AS n_of_mounts
FROM waited
GROUP BY storage_group, mode
ORDER BY p95_s DESC, storage_group, mode
