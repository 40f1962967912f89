/*
title = "Builds"
topic = "operations"
why = "What was made when, how much of it, and whether it was let through by the checks."

[params.n]
type = "BIGINT"
default = "50"
doc = "how many, the newest first"

[columns]
number = { type = "BIGINT", doc = "number of the build" }
build_id = { type = "VARCHAR", doc = "build" }
is_full = { type = "BOOLEAN", doc = "everything was made anew" }
is_committed = { type = "BOOLEAN", doc = "it was let through; if not, what was there before still stands" }
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
