/*
title = "Files read"
why = "What is in the warehouse, and what became of every line."

[columns]
file_id = { type = "VARCHAR", doc = "file" }
path = { type = "VARCHAR", doc = "where it was read" }
source = { type = "VARCHAR", doc = "source that read it" }
state = { type = "VARCHAR", doc = "loaded, failed, unknown or withdrawn" }
reason = { type = "VARCHAR", doc = "why it failed or was not recognised" }
note = { type = "VARCHAR", doc = "what to know of a file that was read: zone words that its zone has not, averages since boot left out" }
n_lines = { type = "BIGINT", doc = "lines" }
n_used = { type = "BIGINT", doc = "lines that became, or served, records" }
n_skipped = { type = "BIGINT", doc = "lines that carry nothing for this source" }
n_rejected = { type = "BIGINT", doc = "lines that could not be read" }
n_records = { type = "BIGINT", doc = "rows in bronze" }
first_at = { type = "TIMESTAMP", doc = "earliest instant in it, UTC" }
last_at = { type = "TIMESTAMP", doc = "latest instant in it, UTC" }
*/
SELECT file_id, path, source, state, reason, note, n_lines, n_used, n_skipped, n_rejected, n_records, first_at, last_at
FROM ops.file
ORDER BY path, from_offset
