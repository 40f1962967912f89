/*
title = "When did the pools stop sharing the work?"
topic = "pools"
was = ["pool_regions"]
why = "Stretches of hours with the same number of active pools, as of the last judged day. At the end of a stretch something changed, broke, or another kind of request came."
takes = ["last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
operation = { type = "VARCHAR", doc = "store (to tape) or restore (from tape)" }
region_no = { type = "BIGINT", doc = "number of the stretch; NULL where stretches cannot be separated" }
from_at = { type = "TIMESTAMP", doc = "start, UTC" }
to_at = { type = "TIMESTAMP", doc = "end" }
n_pools = { type = "BIGINT", doc = "pools with requests" }
even_pools = { type = "DOUBLE", unit = "1", doc = "number of pools that would share the requests evenly, median of its hours" }
step_low = { type = "DOUBLE", unit = "1", doc = "low end of the 90 % interval of the change at its start; NULL for the first" }
step_high = { type = "DOUBLE", unit = "1", doc = "high end" }
asked_gb = { type = "DOUBLE", unit = "GB", doc = "bytes requested" }
pools = { type = "VARCHAR", doc = "the busiest, with their shares of the requests" }
changed = { type = "VARCHAR", doc = "entries of the change log within 24 hours of its start; NULL without any" }
reason_missing = { type = "VARCHAR", was = "cannot_tell", doc = "why stretches cannot be separated; NULL where they can" }
*/
WITH told AS (
    SELECT * FROM gold.pool_usage_phase WHERE day <= $last_day QUALIFY day = max(day) OVER ()
),
change AS (
    SELECT t.system, t.operation, t.region_no, string_agg(DISTINCT c.what, '; ' ORDER BY c.what) AS changed
    FROM told t
    JOIN site.change c ON c.problem IS NULL AND c.changed_at BETWEEN t.from_at - INTERVAL 24 HOUR AND t.from_at + INTERVAL 24 HOUR
    WHERE t.region_no > 1
    GROUP BY t.system, t.operation, t.region_no
)
SELECT t.system, t.operation, t.region_no, t.from_at, t.to_at, t.n_pools, t.even_pools, t.step_low, t.step_high, t.asked_gb,
       t.pools, c.changed, t.reason_missing
FROM told t
LEFT JOIN change c ON c.system = t.system AND c.operation = t.operation AND c.region_no = t.region_no
ORDER BY t.system, t.operation, t.region_no
