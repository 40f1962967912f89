/*
title = "Phases with a constant number of pools in use"
topic = "pools"
was = ["pool_regions"]
why = "A new phase starts when the effective number of pools (even_pools) changes. Possible causes are a new setting, a failure or other kinds of requests. The rows come from the newest analysis that was made for last_day or an earlier day."
takes = ["last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
operation = { type = "VARCHAR", doc = "what was requested: store (to tape) or restore (from tape)" }
region_no = { type = "BIGINT", doc = "number of the phase, from 1; NULL where the time cannot be divided into phases" }
from_at = { type = "TIMESTAMP", doc = "start of the phase, UTC" }
to_at = { type = "TIMESTAMP", doc = "end of the phase, UTC" }
n_pools = { type = "BIGINT", doc = "number of pools with requests in the phase; hours with fewer than 10 requests do not count" }
even_pools = { type = "DOUBLE", unit = "1", doc = "effective number of pools: n if n pools share the requests equally, 1 if one pool gets all requests. Computed per hour; median over the phase" }
step_low = { type = "DOUBLE", unit = "1", doc = "low end of the 90 % interval of the change in even_pools: this phase minus the previous phase. NULL for the first phase" }
step_high = { type = "DOUBLE", unit = "1", doc = "high end of the 90 % interval of the change in even_pools: this phase minus the previous phase. NULL for the first phase" }
asked_gb = { type = "DOUBLE", unit = "GB", doc = "total size of the files requested in the phase; hours with fewer than 10 requests do not count" }
pools = { type = "VARCHAR", doc = "names of the busiest pools, at most 15, each with its share of the requests; hours with fewer than 10 requests do not count" }
changed = { type = "VARCHAR", doc = "changes from site.toml and its change log, at most 24 hours before or after the start of the phase; NULL where there is no such change, and for the first phase" }
reason_missing = { type = "VARCHAR", was = "cannot_tell", doc = "why the time cannot be divided into phases; NULL where it can" }
*/
WITH newest AS (
    SELECT * FROM gold.pool_usage_phase WHERE day <= $last_day QUALIFY day = max(day) OVER ()
),
change AS (
    SELECT t.system, t.operation, t.region_no, string_agg(DISTINCT c.what, '; ' ORDER BY c.what) AS changed
    FROM newest t
    JOIN site.change c ON c.problem IS NULL AND c.changed_at BETWEEN t.from_at - INTERVAL 24 HOUR AND t.from_at + INTERVAL 24 HOUR
    WHERE t.region_no > 1
    GROUP BY t.system, t.operation, t.region_no
)
SELECT t.system, t.operation, t.region_no, t.from_at, t.to_at, t.n_pools, t.even_pools, t.step_low, t.step_high, t.asked_gb,
       t.pools, c.changed, t.reason_missing
FROM newest t
LEFT JOIN change c ON c.system = t.system AND c.operation = t.operation AND c.region_no = t.region_no
ORDER BY t.system, t.operation, t.region_no
