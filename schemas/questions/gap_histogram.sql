/*
title = "Judged gaps, counted by length"
why = "An average hides it: a healthy dialogue and a stuck one stand side by side as two peaks."

[params.first_day]
type = "DATE"
doc = "first site day; the last day with data if left out"

[params.last_day]
type = "DATE"
doc = "last site day; the last day with data if left out"

[params.station]
type = "VARCHAR"
default = ""
doc = "one station; all of them if left out"

[params.drive]
type = "VARCHAR"
default = ""
doc = "one drive; all of them if left out"

[columns]
station = { type = "VARCHAR", doc = "station whose client ended the gaps" }
drive = { type = "VARCHAR", doc = "drive" }
bin_from_s = { type = "DOUBLE", unit = "s", doc = "shortest judged gap of the bin, 1 s wide; the bin at 30 s holds all longer ones" }
n_gaps = { type = "BIGINT", doc = "gaps in the bin" }
*/
SELECT g.station, g.drive, CAST(least(floor(g.judged_s), 30) AS DOUBLE) AS bin_from_s, count(*) AS n_gaps
FROM silver.gap g CROSS JOIN site.setting c
WHERE CAST(timezone(c.zone, timezone('UTC', g.started_at)) AS DATE) BETWEEN $first_day AND $last_day
  AND g.day BETWEEN $first_day - 1 AND $last_day + 1
  AND $station IN ('', g.station) AND $drive IN ('', g.drive)
GROUP BY ALL
ORDER BY ALL
