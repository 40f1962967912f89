/*
title = "Which values contradict each other?"
topic = "findings"
why = "Values in logs that exceed what is possible or contradict another log, and those that could not be compared."

[params.last_day]
type = "DATE"
doc = "report the state as of this site day; default: the last day with data"

[columns]
kind = { type = "VARCHAR", doc = "which comparison" }
entity = { type = "VARCHAR", doc = "station/direction, drive, link/direction, host or host/disk; NULL for all" }
n = { type = "BIGINT", doc = "impossible values" }
n_compared = { type = "BIGINT", doc = "values that were compared, for all entities" }
what = { type = "VARCHAR", doc = "what the value is, with its unit" }
reported = { type = "DOUBLE", was = "stated", doc = "the worst value" }
bound = { type = "DOUBLE", was = "possible", doc = "highest or lowest possible value" }
summary = { type = "VARCHAR", was = "says", doc = "why it is impossible, or why no comparison was possible" }
from_at = { type = "TIMESTAMP", doc = "start of the first impossible value" }
to_at = { type = "TIMESTAMP", doc = "end of the last impossible value" }
path = { type = "VARCHAR", doc = "log file of the worst value" }
line_no = { type = "BIGINT", doc = "line of the worst value" }
day = { type = "DATE", doc = "newest day judged, up to the last day of the period" }
*/
SELECT c.kind, c.entity, c.n, c.n_compared, c.what, c.reported, c.bound, concat_ws('; ', c.why, c.hint, c.reason_missing) AS summary,
       c.from_at, c.to_at, f.path, c.line_no, c.day
FROM gold.contradiction c LEFT JOIN ops.file f ON f.file_id = c.file_id
WHERE c.day = (SELECT max(day) FROM gold.contradiction WHERE day <= $last_day)
ORDER BY c.reason_missing IS NOT NULL, c.n DESC, c.kind, c.entity
