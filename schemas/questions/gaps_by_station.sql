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
share_long = { type = "DOUBLE", unit = "1", doc = "share of gaps judged longer than expected by more than excess_s of the rule long_gap" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours beyond the expected gap, of gaps that much longer" }
*/
WITH judged AS (
    SELECT g.station, g.judged_s, g.judged_s - c.expected_gap_s AS over_s,
           g.judged_s > c.expected_gap_s + rule_limit('long_gap', 'excess_s') AS is_long
    FROM silver.gap g CROSS JOIN site.setting c
    WHERE near_days(g.day, $first_day, $last_day) AND in_days(g.started_at, $first_day, $last_day, c.zone)
)
SELECT station, count(*) AS n_gaps, median(judged_s) AS p50_s, quantile_cont(judged_s, 0.95) AS p95_s,
       mode(round(judged_s)) AS modal_s, count(*) FILTER (is_long) / count(*) AS share_long,
       coalesce(sum(over_s) FILTER (is_long), 0) / 3600 AS lost_hours
FROM judged
GROUP BY station
ORDER BY lost_hours DESC, station
