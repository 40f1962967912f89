/*
title = "Disk pools"
topic = "pools"
why = "Which pools and classes move data to and from tape, how long files wait, and whether a pool carries more than its share."
takes = ["first_day", "last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
operation = { type = "VARCHAR", doc = "store (to tape) or restore (from tape)" }
storage_group = { type = "VARCHAR", doc = "storage group" }
file_family = { type = "VARCHAR", doc = "file family" }
pool = { type = "VARCHAR", doc = "disk pool" }
n_done = { type = "BIGINT", doc = "requests done" }
n_failed = { type = "BIGINT", doc = "requests failed or cancelled" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "moved in completed requests" }
share = { type = "DOUBLE", unit = "1", doc = "share of the bytes of all pools for this class and direction" }
latency_p50_s = { type = "DOUBLE", unit = "s", doc = "median latency of completed requests; for restores without the pool's own queue" }
latency_p90_s = { type = "DOUBLE", unit = "s", doc = "latency that nine of ten requests stay below" }
*/
WITH asked AS (
    SELECT r.*
    FROM silver.pool_request r CROSS JOIN site.setting c
    WHERE near_days(r.day, $first_day, $last_day)
      AND in_days(r.created_at, $first_day, $last_day, c.zone)
),
used AS (
    SELECT system, operation, storage_group, file_family, pool,
           count(*) FILTER (WHERE outcome = 'done') AS n_done, count(*) FILTER (WHERE outcome <> 'done') AS n_failed,
           coalesce(sum(bytes) FILTER (WHERE outcome = 'done'), 0) AS moved_bytes,
           quantile_cont(latency_s, 0.5) FILTER (WHERE outcome = 'done') AS latency_p50_s,
           quantile_cont(latency_s, 0.9) FILTER (WHERE outcome = 'done') AS latency_p90_s
    FROM asked
    GROUP BY system, operation, storage_group, file_family, pool
)
SELECT system, operation, storage_group, file_family, pool, n_done, n_failed,
       CAST(moved_bytes AS DOUBLE) / 1e9 AS moved_gb,
       CAST(moved_bytes AS DOUBLE)
           / nullif(CAST(sum(moved_bytes) OVER (PARTITION BY system, operation, storage_group, file_family) AS DOUBLE), 0)
           AS share,
       latency_p50_s, latency_p90_s
FROM used
ORDER BY system, operation, storage_group NULLS LAST, file_family NULLS LAST, moved_bytes DESC, pool
