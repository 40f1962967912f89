/*
title = "Lines that could not be read"
why = "The lines of `tapescope rejects`: the first ones of each file and reason, for people to report."

[params.source]
type = "VARCHAR"
doc = "only this source; default: all"

[params.most]
type = "BIGINT"
doc = "lines of each file and reason"

[columns]
path = { type = "VARCHAR", doc = "file" }
source = { type = "VARCHAR", doc = "source that read it" }
reason = { type = "VARCHAR", doc = "why" }
line_no = { type = "BIGINT", doc = "line of the file" }
text = { type = "VARCHAR", doc = "the line, at most 300 characters" }
n_lines = { type = "BIGINT", doc = "lines of that file with that reason" }
*/
SELECT f.path, f.source, r.reason, r.line_no, r.text, count(*) OVER (PARTITION BY f.path, r.reason) AS n_lines
FROM ops.reject r JOIN ops.file f USING (file_id)
WHERE $source IS NULL OR f.source = $source
QUALIFY row_number() OVER (PARTITION BY f.path, r.reason ORDER BY r.line_no, r.file_id) <= $most
ORDER BY f.source, f.path, r.reason, r.line_no
