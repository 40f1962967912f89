/*
title = "Cost of long gaps"
why = "What the long gaps take from each drive, in hours and in what could have moved meanwhile."

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
level = { type = "VARCHAR", doc = "what the row sums up: all, station or drive" }
station = { type = "VARCHAR", doc = "station whose client ended the gaps; NULL where the row is of all" }
drive = { type = "VARCHAR", doc = "drive; NULL where the row is of more than one" }
n_gaps = { type = "BIGINT", doc = "gaps" }
p50_s = { type = "DOUBLE", unit = "s", doc = "median of the judged gap" }
share_over_5s = { type = "DOUBLE", unit = "1", doc = "share of gaps judged longer than 5 s" }
n_long_gaps = { type = "BIGINT", doc = "gaps judged more than 3 s longer than expected" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "time of the long ones beyond the expected gap" }
lost_gb = { type = "DOUBLE", unit = "GB", doc = "what could have moved in that time, at most: each at the rate of the file before it" }
lost_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "the same per day of the period" }
*/
WITH judged AS (
    SELECT g.station, g.drive, g.judged_s, g.rate_bytes_s, g.judged_s > c.expected_gap_s + 3 AS is_long,
           g.judged_s - c.expected_gap_s AS over_s
    FROM silver.gap g CROSS JOIN site.setting c
    WHERE CAST(timezone(c.zone, timezone('UTC', g.started_at)) AS DATE) BETWEEN $first_day AND $last_day
      AND g.day BETWEEN $first_day - 1 AND $last_day + 1
      AND $station IN ('', g.station) AND $drive IN ('', g.drive)
)
SELECT CASE WHEN grouping(station) = 1 THEN 'all' WHEN grouping(drive) = 1 THEN 'station' ELSE 'drive' END AS level,
       station, drive, count(*) AS n_gaps, median(judged_s) AS p50_s,
       avg(CASE WHEN judged_s > 5 THEN 1.0 ELSE 0.0 END) AS share_over_5s,
       count(*) FILTER (WHERE is_long) AS n_long_gaps,
       coalesce(sum(over_s) FILTER (WHERE is_long), 0) / 3600 AS lost_hours,
       coalesce(sum(over_s * rate_bytes_s) FILTER (WHERE is_long), 0) / 1e9 AS lost_gb,
       coalesce(sum(over_s * rate_bytes_s) FILTER (WHERE is_long), 0) / 1e9
           / (date_diff('day', CAST($first_day AS DATE), CAST($last_day AS DATE)) + 1) AS lost_gb_day
FROM judged
GROUP BY GROUPING SETS ((station, drive), (station), ())
HAVING count(*) > 0
ORDER BY lost_hours DESC, n_gaps DESC, level, station, drive
