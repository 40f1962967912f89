/*
title = "Gaps between files, by station"
why = "Is it the 10 s gap? Judged gaps: without file marks, tape motion and time in which nobody wanted the drive."
takes = ["first_day", "last_day"]

[columns]
station = { type = "VARCHAR", doc = "station whose client ended the gaps" }
n_gaps = { type = "BIGINT", doc = "gaps" }
p50_s = { type = "DOUBLE", unit = "s", doc = "median of the judged gap" }
p95_s = { type = "DOUBLE", unit = "s", doc = "95th percentile of the judged gap" }
modal_s = { type = "DOUBLE", unit = "s", doc = "most frequent judged gap, in whole seconds" }
share_over_5s = { type = "DOUBLE", unit = "1", doc = "share of gaps judged longer than 5 s" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours beyond the expected gap, of gaps more than 3 s longer" }
*/
SELECT g.station, count(*) AS n_gaps, median(g.judged_s) AS p50_s, quantile_cont(g.judged_s, 0.95) AS p95_s,
       mode(round(g.judged_s)) AS modal_s, avg(CASE WHEN g.judged_s > 5 THEN 1.0 ELSE 0.0 END) AS share_over_5s,
       coalesce(sum(g.judged_s - c.expected_gap_s) FILTER (WHERE g.judged_s > c.expected_gap_s + 3), 0) / 3600
           AS lost_hours
FROM silver.gap g CROSS JOIN site.setting c
WHERE near_days(g.day, $first_day, $last_day)
  AND in_days(g.started_at, $first_day, $last_day, c.zone)
GROUP BY g.station
ORDER BY lost_hours DESC, g.station
