/*
title = "Files read"
topic = "operations"
was = ["file_hashes"]
why = "The files of the warehouse, the state of every line, and the hashes needed to reproduce the numbers."

[params.from_day]
type = "DATE"
default = "0001-01-01"
doc = "files with data of this site day or later; files without data are always listed"

[params.to_day]
type = "DATE"
default = "9999-12-31"
doc = "files with data of this site day or before"

[columns]
file_id = { type = "VARCHAR", doc = "file" }
path = { type = "VARCHAR", doc = "where it was read" }
source = { type = "VARCHAR", doc = "source that read it" }
state = { type = "VARCHAR", doc = "loaded, failed, unknown or withdrawn" }
reason = { type = "VARCHAR", doc = "why it failed or was not recognised" }
note = { type = "VARCHAR", doc = "remarks on a file that was read, such as zone names that differ from its zone, or averages since boot left out" }
n_lines = { type = "BIGINT", doc = "lines" }
n_used = { type = "BIGINT", doc = "lines that became records or were needed for them" }
n_skipped = { type = "BIGINT", doc = "lines that hold nothing for this source" }
n_rejected = { type = "BIGINT", doc = "lines that could not be read" }
n_records = { type = "BIGINT", doc = "rows in bronze" }
first_at = { type = "TIMESTAMP", doc = "earliest instant in it, UTC" }
last_at = { type = "TIMESTAMP", doc = "latest instant in it, UTC" }
sha256 = { type = "VARCHAR", doc = "hash of the decompressed bytes up to the end of what was read" }
*/
SELECT f.file_id, f.path, f.source, f.state, f.reason, f.note, f.n_lines, f.n_used, f.n_skipped, f.n_rejected, f.n_records,
       f.first_at, f.last_at, f.sha256
FROM ops.file f LEFT JOIN site.setting c ON true  -- a site that was never built has none, and then all are listed
WHERE f.first_at IS NULL OR c.zone IS NULL
   OR (site_day(f.first_at, c.zone) <= $to_day
       AND site_day(f.last_at, c.zone) >= $from_day)
ORDER BY f.path, f.from_offset
