/*
title = "All checks of the last build"
topic = "operations"
was = ["last_build"]
why = "Lists the checks of the newest build of the warehouse. Checks that failed or could not run come first. The result of a build is used only if all checks could run and no critical check failed."

[columns]
build_id = { type = "VARCHAR", doc = "id of the build" }
number = { type = "BIGINT", doc = "number of the build" }
is_committed = { type = "BOOLEAN", doc = "true where the result of the build was put into use; false where it was discarded because a critical check failed or a check could not run" }
relation = { type = "VARCHAR", doc = "relation of the warehouse whose changed rows were checked; NULL where the build had nothing to check" }
expectation = { type = "VARCHAR", doc = "kind of check, by its name in the library Great Expectations" }
arguments = { type = "VARCHAR", doc = "arguments of the check (JSON)" }
severity = { type = "VARCHAR", doc = "severity of a failure: critical (the result of the build is discarded) or warning" }
outcome = { type = "VARCHAR", doc = "passed, failed, or error where the check itself could not run" }
n_failing = { type = "BIGINT", doc = "number of rows that fail the check" }
detail = { type = "VARCHAR", doc = "for a failed check: the observed value, or examples of the failing rows with their log files. For an error: the error message" }
*/
SELECT b.build_id, b.number, b.is_committed, c.relation, c.expectation, c.arguments, c.severity, c.outcome, c.n_failing, c.detail
FROM ops.build b
LEFT JOIN ops.check_result c ON c.build_id = b.build_id
WHERE b.number = (SELECT max(number) FROM ops.build)
ORDER BY c.outcome = 'passed', c.relation, c.expectation, c.arguments
