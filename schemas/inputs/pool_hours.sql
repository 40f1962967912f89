/*
title = "Requests of pools per hour"
why = "Lists the requests of each pool per hour, to find the hours in which the number of pools that share the work changed."
takes = ["first_day", "last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
operation = { type = "VARCHAR", doc = "store (to tape) or restore (from tape)" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC" }
pool = { type = "VARCHAR", doc = "pool" }
requests = { type = "BIGINT", doc = "number of the pool's requests in the hour, over all storage groups" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "total size of the files in the pool's requests of the hour" }
*/
SELECT system, split_part(work, ' ', 1) AS operation, hour_at, member AS pool, CAST(sum(amount) AS BIGINT) AS requests,
       sum(moved_gb) AS moved_gb
FROM gold.pool_share
WHERE kind = 'pool' AND day BETWEEN $first_day AND $last_day
GROUP BY ALL
ORDER BY system, operation, hour_at, pool
