/*
title = "Which values in logs contradict each other?"
topic = "findings"
why = "Lists impossible values in logs, and values that contradict another log. Comparisons for which a log is missing are listed too."

[params.last_day]
type = "DATE"
doc = "report the state as of this site day; default: the last day with data"

[columns]
kind = { type = "VARCHAR", doc = "name of the comparison; gold.contradiction defines each" }
entity = { type = "VARCHAR", doc = "entity to which the values belong: station/direction, drive, link/direction, host or host/disk; NULL where nothing could be compared" }
n = { type = "BIGINT", doc = "number of impossible values of the entity" }
n_compared = { type = "BIGINT", doc = "number of values of this kind that were compared, over all entities" }
what = { type = "VARCHAR", doc = "name of the value, with its unit" }
reported = { type = "DOUBLE", was = "stated", doc = "worst impossible value, in the unit that `what` names: the value with the largest difference from its bound, relative to the bound" }
bound = { type = "DOUBLE", was = "possible", doc = "highest or lowest possible value. For rate_above_drive: the drive's native rate; rates up to three times as high are possible" }
summary = { type = "VARCHAR", was = "says", doc = "why the value is impossible, or why no comparison was possible" }
from_at = { type = "TIMESTAMP", doc = "start of the time to which the first impossible value belongs" }
to_at = { type = "TIMESTAMP", doc = "end of the time to which the last impossible value belongs" }
path = { type = "VARCHAR", doc = "log file that contains the worst value; NULL where the value was computed from many lines" }
line_no = { type = "BIGINT", doc = "number of the line with the worst value; NULL where path is NULL" }
day = { type = "DATE", doc = "last site day of the compared period: the newest such period that ends on or before last_day" }
*/
SELECT c.kind, c.entity, c.n, c.n_compared, c.what, c.reported, c.bound, concat_ws('; ', c.why, c.hint, c.reason_missing) AS summary,
       c.from_at, c.to_at, f.path, c.line_no, c.day
FROM gold.contradiction c LEFT JOIN ops.file f ON f.file_id = c.file_id
WHERE c.day = (SELECT max(day) FROM gold.contradiction WHERE day <= $last_day)
ORDER BY c.reason_missing IS NOT NULL, c.n DESC, c.kind, c.entity
