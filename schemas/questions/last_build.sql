/*
title = "The last build"
why = "Which truth the numbers rest on, and which checks it did not meet."

[columns]
build_id = { type = "VARCHAR", doc = "build" }
number = { type = "BIGINT", doc = "number" }
is_committed = { type = "BOOLEAN", doc = "false where a critical check failed" }
relation = { type = "VARCHAR", doc = "relation of a check that was not met; NULL if all were" }
expectation = { type = "VARCHAR", doc = "check that was not met" }
severity = { type = "VARCHAR", doc = "critical or warning" }
n_failing = { type = "BIGINT", doc = "rows that do not meet it" }
detail = { type = "VARCHAR", doc = "examples and files" }
*/
SELECT b.build_id, b.number, b.is_committed, c.relation, c.expectation, c.severity, c.n_failing, c.detail
FROM ops.build b
LEFT JOIN ops.check_result c ON c.build_id = b.build_id AND c.outcome <> 'passed'
WHERE b.number = (SELECT max(number) FROM ops.build)
ORDER BY c.relation, c.expectation
