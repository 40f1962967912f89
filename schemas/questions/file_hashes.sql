/*
title = "Files the numbers rest on"
why = "To make the same report again: the files that hold data of the period, or no data at all, and what was in them."
takes = ["first_day", "last_day"]

[columns]
path = { type = "VARCHAR", doc = "where it was read" }
source = { type = "VARCHAR", doc = "source that read it" }
state = { type = "VARCHAR", doc = "loaded, failed, unknown or withdrawn" }
reason = { type = "VARCHAR", doc = "why it failed or was not recognised" }
n_rejected = { type = "BIGINT", doc = "lines that could not be read" }
sha256 = { type = "VARCHAR", doc = "of the decompressed bytes up to the end of what was read" }
*/
SELECT f.path, f.source, f.state, f.reason, f.n_rejected, f.sha256
FROM ops.file f CROSS JOIN site.setting c
WHERE f.first_at IS NULL
   OR (site_day(f.first_at, c.zone) <= $last_day
       AND site_day(f.last_at, c.zone) >= $first_day)
ORDER BY f.path, f.from_offset
