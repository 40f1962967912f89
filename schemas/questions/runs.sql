/*
title = "Runs of tapescope's steps"
topic = "operations"
why = "Shows what tapescope's last runs did, how long they took, and why a step failed or was stopped. A run that changed nothing, sent no report and did not fail is not listed."

[params]
n_most = { type = "BIGINT", default = 50, doc = "maximum number of rows; the newest come first" }

[columns]
started_at = { type = "TIMESTAMP", doc = "start of the run, UTC" }
step = { type = "VARCHAR", doc = "name of the step that ran, e.g. ingest or build" }
outcome = { type = "VARCHAR", doc = "outcome of the step: done, failed, or stopped (a signal ended it, such as Ctrl-C)" }
elapsed_s = { type = "DOUBLE", unit = "s", doc = "duration of the run" }
counts = { type = "VARCHAR", doc = "numbers that the step reported, e.g. of files or lines (JSON)" }
failure = { type = "VARCHAR", doc = "name of the step, error message, log file that was being read, and line of tapescope's code; for a stopped step, that a signal ended it; NULL where the step is done" }
*/
SELECT started_at, step, outcome, elapsed_s, counts, failure
FROM ops.run
ORDER BY started_at DESC, step
LIMIT $n_most
