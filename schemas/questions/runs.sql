/*
title = "What ran"
topic = "operations"
why = "What the last steps did, how long they took, and why a step failed. A step that found nothing to do leaves no row."

[params]
n_most = { type = "BIGINT", default = 50, doc = "most rows, the newest first" }

[columns]
started_at = { type = "TIMESTAMP", doc = "start, UTC" }
step = { type = "VARCHAR", doc = "step" }
outcome = { type = "VARCHAR", doc = "done or failed" }
elapsed_s = { type = "DOUBLE", unit = "s", doc = "wall-clock time" }
counts = { type = "VARCHAR", doc = "what it counted (JSON)" }
failure = { type = "VARCHAR", doc = "the error, with file, line and step" }
*/
SELECT started_at, step, outcome, elapsed_s, counts, failure
FROM ops.run
ORDER BY started_at DESC, step
LIMIT $n_most
