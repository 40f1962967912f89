/*
title = "Lines that could not be read"
why = "Returns the lines that `tapescope rejects` lists: the first few for each file and reason, so that people can report them."

[params.source]
type = "VARCHAR"
doc = "only this source; default: all"

[params.most]
type = "BIGINT"
doc = "maximum number of lines for each file and reason"

[columns]
path = { type = "VARCHAR", doc = "path of the file" }
source = { type = "VARCHAR", doc = "source that read the file" }
reason = { type = "VARCHAR", doc = "why the line could not be read" }
line_no = { type = "BIGINT", doc = "line number in the file" }
text = { type = "VARCHAR", doc = "text of the line, at most 300 characters" }
n_lines = { type = "BIGINT", doc = "number of lines in the file that were rejected for this reason" }
*/
SELECT f.path, f.source, r.reason, r.line_no, r.text, count(*) OVER (PARTITION BY f.path, r.reason) AS n_lines
FROM ops.reject r JOIN ops.file f USING (file_id)
WHERE $source IS NULL OR f.source = $source
QUALIFY row_number() OVER (PARTITION BY f.path, r.reason ORDER BY r.line_no, r.file_id) <= $most
ORDER BY f.source, f.path, r.reason, r.line_no
