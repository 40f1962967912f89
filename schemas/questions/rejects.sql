/*
title = "Rejected lines"
topic = "operations"
why = "How many lines of each file could not be read, for each reason, with an example."

[columns]
path = { type = "VARCHAR", doc = "file" }
reason = { type = "VARCHAR", doc = "why" }
n_lines = { type = "BIGINT", doc = "lines" }
line_no = { type = "BIGINT", doc = "number of the first such line in the file" }
text = { type = "VARCHAR", doc = "text of that first line, at most 300 characters" }
*/
SELECT f.path, r.reason, count(*) AS n_lines, min(r.line_no) AS line_no, arg_min(r.text, r.line_no) AS text
FROM ops.reject r JOIN ops.file f USING (file_id)
GROUP BY f.path, r.reason
ORDER BY n_lines DESC, f.path, r.reason
