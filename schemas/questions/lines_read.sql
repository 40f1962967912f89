/*
title = "Lines used, skipped and rejected"
topic = "operations"
why = "Proves that no line of a log was lost: for each kind of log, the used, skipped and rejected lines add up to all lines. Files with data in the period count, and so do all files without data."
takes = ["first_day", "last_day"]

[columns]
source = { type = "VARCHAR", doc = "source (kind of log) as which the lines were read; unknown where the file was not recognised" }
state = { type = "VARCHAR", doc = "state of the files. loaded: their lines are in use. failed: the files could not be read. unknown: the files were not recognised as a kind of log. withdrawn: their lines are no longer in use" }
n_files = { type = "BIGINT", doc = "number of files" }
n_lines = { type = "BIGINT", doc = "number of lines" }
n_used = { type = "BIGINT", doc = "number of lines that became records, or were needed to interpret other lines" }
n_skipped = { type = "BIGINT", doc = "number of lines of a kind that is not needed" }
n_rejected = { type = "BIGINT", doc = "number of lines that should have become records but could not be read" }
n_records = { type = "BIGINT", doc = "number of records made from the lines (rows of bronze relations)" }
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
