/*
title = "Requests that timed out while waiting"
topic = "pools"
why = "Shows for each pool how many requests timed out, how long users waited in vain, and whether another pool had the file. If requests to other pools did not time out, the cause can be dCache's cost setting, by which dCache selects a pool for each request."
takes = ["first_day", "last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
pool = { type = "VARCHAR", doc = "disk pool" }
operation = { type = "VARCHAR", doc = "what was requested: store (to tape) or restore (from tape)" }
n_requests = { type = "BIGINT", doc = "number of requests made in the period" }
n_timeouts = { type = "BIGINT", doc = "number of requests that ended with a timeout, according to their error message" }
timeout_share = { type = "DOUBLE", unit = "1", doc = "timeouts / requests" }
n_never_started = { type = "BIGINT", doc = "number of timeouts of requests that ended before the tape system started them: outcome cancelled in silver.pool_request" }
waited_hours = { type = "DOUBLE", unit = "h", doc = "sum, over the timeouts, of the time from request to timeout" }
not_moved_gb = { type = "DOUBLE", unit = "GB", doc = "total size of the files whose requests timed out; a file counts once for each timeout" }
n_elsewhere = { type = "BIGINT", doc = "number of timeouts for files that another pool already had: that pool had completed a request of the period for the same file before the timeout" }
load_ratio = { type = "DOUBLE", was = "times", unit = "1", doc = "number of requests to this pool / mean number of requests per pool, for the same archive system and operation" }
is_cost_suspect = { type = "BOOLEAN", doc = "true if dCache's cost setting may be the cause. Three conditions hold: requests to this pool timed out, some other pool had no timeouts, and load_ratio is at least min_times (parameter of the rule pool_skew)" }
*/
WITH asked AS (
    SELECT r.*, coalesce(r.outcome <> 'done' AND regexp_matches(r.error, 'time[- ]?d? ?-?out', 'i'), FALSE) AS is_timeout,
           coalesce(r.ended_at, r.created_at) AS over_at
    FROM silver.pool_request r CROSS JOIN site.setting c
    WHERE near_days(r.day, $first_day, $last_day)
      AND in_days(r.created_at, $first_day, $last_day, c.zone)
),
judged AS (
    SELECT a.*, EXISTS (
               SELECT 1 FROM asked o WHERE o.system = a.system AND o.pnfsid = a.pnfsid AND o.pool <> a.pool
                 AND o.outcome = 'done' AND o.ended_at <= a.over_at) AS is_elsewhere
    FROM asked a WHERE a.is_timeout
    UNION ALL SELECT *, FALSE FROM asked WHERE NOT is_timeout
),
summed AS (
    SELECT system, pool, operation, count(*) AS n_requests, count(*) FILTER (is_timeout) AS n_timeouts,
           count(*) FILTER (is_timeout AND outcome = 'cancelled') AS n_never_started,
           coalesce(sum(date_diff('microsecond', created_at, over_at)) FILTER (is_timeout), 0) / 3600e6 AS waited_hours,
           coalesce(sum(bytes) FILTER (is_timeout), 0) / 1e9 AS not_moved_gb,
           count(*) FILTER (is_elsewhere) AS n_elsewhere
    FROM judged GROUP BY system, pool, operation
)
SELECT system, pool, operation, n_requests, n_timeouts, n_timeouts / n_requests AS timeout_share, n_never_started,
       waited_hours, not_moved_gb, n_elsewhere, n_requests / avg(n_requests) OVER alike AS load_ratio,
       n_timeouts > 0 AND n_requests >= rule_limit('pool_skew', 'min_times') * avg(n_requests) OVER alike
           AND count(*) FILTER (n_timeouts = 0) OVER alike > 0 AS is_cost_suspect
FROM summed
WINDOW alike AS (PARTITION BY system, operation)
ORDER BY n_timeouts DESC, n_requests DESC, system, pool, operation
