/*
title = "Rejected lines"
topic = "operations"
why = "Shows for each log file and reason how many lines could not be read, with an example."

[columns]
path = { type = "VARCHAR", doc = "path of the file" }
reason = { type = "VARCHAR", doc = "why the lines were rejected" }
n_lines = { type = "BIGINT", doc = "number of lines of the file that were rejected for this reason" }
line_no = { type = "BIGINT", doc = "number, within the file, of the first line that was rejected for this reason" }
text = { type = "VARCHAR", doc = "text of the line at line_no, at most 300 characters" }
*/
SELECT f.path, r.reason, count(*) AS n_lines, min(r.line_no) AS line_no, kept_text(arg_min(r.text, r.line_no)) AS text
FROM ops.reject r JOIN ops.file f USING (file_id)
GROUP BY f.path, r.reason
ORDER BY n_lines DESC, f.path, r.reason
