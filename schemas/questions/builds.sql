/*
title = "Builds"
topic = "operations"
why = "What was built when, how much, and whether the checks passed it."

[params.n]
type = "BIGINT"
default = "50"
doc = "number of builds, the newest first"

[columns]
number = { type = "BIGINT", doc = "number of the build" }
build_id = { type = "VARCHAR", doc = "build" }
is_full = { type = "BOOLEAN", doc = "true where everything was computed again" }
is_committed = { type = "BOOLEAN", doc = "true where it was committed; if not, the previous build still holds" }
n_days = { type = "BIGINT", doc = "days made" }
n_rows = { type = "BIGINT", doc = "rows made" }
n_failed_checks = { type = "BIGINT", doc = "checks that failed, of either severity" }
*/
SELECT b.number, b.build_id, b.is_full, b.is_committed, CAST(json_array_length(b.days) AS BIGINT) AS n_days, b.n_rows,
       count(*) FILTER (c.outcome <> 'passed') AS n_failed_checks
FROM ops.build b LEFT JOIN ops.check_result c ON c.build_id = b.build_id
GROUP BY ALL
ORDER BY b.number DESC
LIMIT $n
