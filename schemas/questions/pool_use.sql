/*
title = "Disk pools"
topic = "pools"
why = "Shows which pools and storage classes (storage group and file family together) move data to and from tape, how long files wait, and whether one pool carries more load than other pools."
takes = ["first_day", "last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
operation = { type = "VARCHAR", doc = "what was requested: store (to tape) or restore (from tape)" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment" }
file_family = { type = "VARCHAR", doc = "file family: files that share tapes, e.g. one data set" }
pool = { type = "VARCHAR", doc = "disk pool" }
n_done = { type = "BIGINT", doc = "number of completed requests" }
n_failed = { type = "BIGINT", doc = "number of requests that failed or were cancelled" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data moved to or from tape in completed requests" }
share = { type = "DOUBLE", unit = "1", doc = "bytes moved by this pool / bytes moved by all pools, for the same storage class and operation" }
latency_p50_s = { type = "DOUBLE", unit = "s", doc = "median time from request to completion; for restores, time in the pool's own queue is not included" }
latency_p90_s = { type = "DOUBLE", unit = "s", doc = "90th percentile of the times from request to completion; for restores, time in the pool's own queue is not included" }
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
           quantile_cont(latency_s, [0.5, 0.9]) FILTER (WHERE outcome = 'done') AS latencies_s
    FROM asked
    GROUP BY system, operation, storage_group, file_family, pool
)
SELECT system, operation, storage_group, file_family, pool, n_done, n_failed,
       CAST(moved_bytes AS DOUBLE) / 1e9 AS moved_gb,
       CAST(moved_bytes AS DOUBLE)
           / nullif(CAST(sum(moved_bytes) OVER (PARTITION BY system, operation, storage_group, file_family) AS DOUBLE), 0)
           AS share,
       latencies_s[1] AS latency_p50_s, latencies_s[2] AS latency_p90_s
FROM used
ORDER BY system, operation, storage_group NULLS LAST, file_family NULLS LAST, moved_bytes DESC, pool
