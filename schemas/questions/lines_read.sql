/*
title = "Lines used, skipped and rejected"
topic = "operations"
why = "Proves that no line was lost: for each source, the used, skipped and rejected lines add up to the lines of its files. Files of the period and files without data are included."
takes = ["first_day", "last_day"]

[columns]
source = { type = "VARCHAR", doc = "source that read the lines; unknown where no source recognised the file" }
state = { type = "VARCHAR", doc = "state of the files: loaded, failed, unknown or withdrawn" }
n_files = { type = "BIGINT", doc = "files" }
n_lines = { type = "BIGINT", doc = "lines" }
n_used = { type = "BIGINT", doc = "lines that became records or were needed for them" }
n_skipped = { type = "BIGINT", doc = "lines of a kind that the source does not need" }
n_rejected = { type = "BIGINT", doc = "lines that should have become records but could not be read" }
n_records = { type = "BIGINT", doc = "rows of bronze relations that came from the lines" }
*/
SELECT coalesce(f.source, 'unknown') AS source, f.state, count(DISTINCT f.path) AS n_files,
       CAST(sum(f.n_lines) AS BIGINT) AS n_lines, CAST(sum(f.n_used) AS BIGINT) AS n_used,
       CAST(sum(f.n_skipped) AS BIGINT) AS n_skipped, CAST(sum(f.n_rejected) AS BIGINT) AS n_rejected,
       CAST(sum(f.n_records) AS BIGINT) AS n_records
FROM ops.file f CROSS JOIN site.setting c
WHERE f.first_at IS NULL
   OR (site_day(f.first_at, c.zone) <= $last_day
       AND site_day(f.last_at, c.zone) >= $first_day)
GROUP BY coalesce(f.source, 'unknown'), f.state
ORDER BY source, f.state
