/*
title = "Builds"
topic = "operations"
why = "When each build of the warehouse ran, how much it computed, and whether its checks passed."

[params.n]
type = "BIGINT"
default = "50"
doc = "maximum number of builds; the newest come first"

[columns]
number = { type = "BIGINT", doc = "number of the build; the first build of the warehouse has 1" }
build_id = { type = "VARCHAR", doc = "build" }
is_full = { type = "BOOLEAN", doc = "true where the build computed all days again, false where it computed only days with changed data" }
is_committed = { type = "BOOLEAN", doc = "true where the result of the build came into use; false where it was discarded, and the result of the previous build stayed in use" }
n_days = { type = "BIGINT", doc = "days made" }
n_rows = { type = "BIGINT", doc = "rows made" }
n_failed_checks = { type = "BIGINT", doc = "number of the build's checks that failed, whether critical or only a warning" }
*/
SELECT b.number, b.build_id, b.is_full, b.is_committed, CAST(json_array_length(b.days) AS BIGINT) AS n_days, b.n_rows,
       count(*) FILTER (c.outcome <> 'passed') AS n_failed_checks
FROM ops.build b LEFT JOIN ops.check_result c ON c.build_id = b.build_id
GROUP BY ALL
ORDER BY b.number DESC
LIMIT $n
