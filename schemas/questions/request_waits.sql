/*
title = "Queue waits of requests"
topic = "requests"
why = "Shows how long requests wait until a drive takes them, by storage group. Waits of hours usually come from many requests, not from slow drives."
takes = ["first_day", "last_day", "station", "group"]

[columns]
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment" }
mode = { type = "VARCHAR", doc = "read or write" }
n_requests = { type = "BIGINT", doc = "number of requests whose wait is known" }
p50_s = { type = "DOUBLE", unit = "s", doc = "median queue wait" }
p95_s = { type = "DOUBLE", unit = "s", doc = "95th percentile of the queue waits" }
max_s = { type = "DOUBLE", unit = "s", doc = "longest wait" }
n_retried = { type = "BIGINT", doc = "number of requests that were tried more than once" }
n_of_mounts = { type = "BIGINT", doc = "number of CTA mounts that n_requests counts as one request each. No log of CTA's frontend shows the single requests of these mounts. The wait of such a mount is the wait of its oldest file" }
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
