/*
title = "Builds"
topic = "operations"
why = "Shows for each build of the warehouse how much it computed, whether its checks passed, and whether its result was put into use."

[params.n]
type = "BIGINT"
default = "50"
doc = "maximum number of builds; the newest come first"

[columns]
number = { type = "BIGINT", doc = "number of the build; the first build of the warehouse has number 1" }
build_id = { type = "VARCHAR", doc = "id of the build" }
is_full = { type = "BOOLEAN", doc = "true where the build computed all days again, false where it computed only days with changed data" }
is_committed = { type = "BOOLEAN", doc = "true where the result of the build was put into use; false where it was discarded, so that the previous result stayed in use" }
n_days = { type = "BIGINT", doc = "number of days that the build computed" }
n_rows = { type = "BIGINT", doc = "number of rows that the build wrote" }
n_failed_checks = { type = "BIGINT", doc = "number of the build's checks that failed or could not run, both critical ones and warnings" }
*/
SELECT b.number, b.build_id, b.is_full, b.is_committed, CAST(json_array_length(b.days) AS BIGINT) AS n_days, b.n_rows,
       count(*) FILTER (c.outcome <> 'passed') AS n_failed_checks
FROM ops.build b LEFT JOIN ops.check_result c ON c.build_id = b.build_id
GROUP BY ALL
ORDER BY b.number DESC
LIMIT $n
