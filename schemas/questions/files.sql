/*
title = "Files read"
topic = "operations"
was = ["file_hashes"]
why = "Lists all log files, including those that could not be read. Each is listed with its numbers of used, skipped and rejected lines, and with the hash needed to reproduce the results."

[params.from_day]
type = "DATE"
default = "0001-01-01"
doc = "first site day. Files with data on this day or later are listed; files without data are always listed"

[params.to_day]
type = "DATE"
default = "9999-12-31"
doc = "last site day. Files with data on this day or earlier are listed; files without data are always listed"

[columns]
file_id = { type = "VARCHAR", doc = "id of the part of the file that the row describes; lines that were added to a file since it was last read form a new part", for_programs = true }
path = { type = "VARCHAR", doc = "path at which the file was read" }
source = { type = "VARCHAR", doc = "source (kind of log) as which the file was read; NULL where it was not recognised" }
state = { type = "VARCHAR", doc = "loaded (its lines are in use), failed (it could not be read), unknown (not recognised as a kind of log) or withdrawn (`tapescope forget` took its lines out of use)" }
n_lines = { type = "BIGINT", doc = "number of lines in this part of the file" }
n_used = { type = "BIGINT", doc = "number of lines that became records, or were needed to interpret other lines" }
n_skipped = { type = "BIGINT", doc = "number of lines of a kind that is not needed" }
n_rejected = { type = "BIGINT", doc = "number of lines that should have become records but could not be read" }
n_records = { type = "BIGINT", doc = "number of records (rows of bronze relations) made from the lines of this part" }
first_at = { type = "TIMESTAMP", doc = "earliest instant in this part of the file, UTC" }
last_at = { type = "TIMESTAMP", doc = "latest instant in this part of the file, UTC" }
reason = { type = "VARCHAR", doc = "why the file failed, was not recognised or was withdrawn; for a loaded file, why only a part of it could be read" }
note = { type = "VARCHAR", doc = "remarks on how the file was read. Examples: its time stamps name another time zone than the zone used to read them; averages since boot were left out" }
sha256 = { type = "VARCHAR", doc = "SHA-256 hash of the file's decompressed bytes, from the start of the file to the end of this part", for_programs = true }
*/
SELECT f.file_id, f.path, f.source, f.state, f.n_lines, f.n_used, f.n_skipped, f.n_rejected, f.n_records,
       f.first_at, f.last_at, f.reason, f.note, f.sha256
FROM ops.file f LEFT JOIN site.setting c ON true  -- a site that was never built has none, and then all are listed
WHERE f.first_at IS NULL OR c.zone IS NULL
   OR (site_day(f.first_at, c.zone) <= $to_day
       AND site_day(f.last_at, c.zone) >= $from_day)
ORDER BY f.path, f.from_offset
