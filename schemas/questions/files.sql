/*
title = "Files read"
topic = "operations"
was = ["file_hashes"]
why = "The log files of the warehouse with the state of every line, and the hashes needed to reproduce the numbers."

[params.from_day]
type = "DATE"
default = "0001-01-01"
doc = "first site day: files with data of this day or later are listed, and all files without data"

[params.to_day]
type = "DATE"
default = "9999-12-31"
doc = "last site day: files with data of this day or earlier are listed"

[columns]
file_id = { type = "VARCHAR", doc = "file" }
path = { type = "VARCHAR", doc = "path at which the file was read" }
source = { type = "VARCHAR", doc = "source that read the file; NULL where no source recognised it" }
state = { type = "VARCHAR", doc = "state of the file: loaded, failed, unknown or withdrawn" }
reason = { type = "VARCHAR", doc = "why the file failed or was not recognised" }
note = { type = "VARCHAR", doc = "remarks on a file that was read, e.g. names of time zones that contradict its zone, or averages since boot that were left out" }
n_lines = { type = "BIGINT", doc = "lines" }
n_used = { type = "BIGINT", doc = "lines that became records or were needed for them" }
n_skipped = { type = "BIGINT", doc = "lines of a kind that the source does not need" }
n_rejected = { type = "BIGINT", doc = "lines that should have become records but could not be read" }
n_records = { type = "BIGINT", doc = "rows of bronze relations that came from the file" }
first_at = { type = "TIMESTAMP", doc = "earliest instant in the file, UTC" }
last_at = { type = "TIMESTAMP", doc = "latest instant in the file, UTC" }
sha256 = { type = "VARCHAR", doc = "hash of the decompressed bytes, as far as the file was read" }
*/
SELECT f.file_id, f.path, f.source, f.state, f.reason, f.note, f.n_lines, f.n_used, f.n_skipped, f.n_rejected, f.n_records,
       f.first_at, f.last_at, f.sha256
FROM ops.file f LEFT JOIN site.setting c ON true  -- a site that was never built has none, and then all are listed
WHERE f.first_at IS NULL OR c.zone IS NULL
   OR (site_day(f.first_at, c.zone) <= $to_day
       AND site_day(f.last_at, c.zone) >= $from_day)
ORDER BY f.path, f.from_offset
