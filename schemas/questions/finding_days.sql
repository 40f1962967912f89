/*
title = "Findings by day"
topic = "findings"
why = "Shows on which days of the period each finding fired, and what it cost on each of these days. A finding whose cost grows is more urgent."

[params.last_day]
type = "DATE"
doc = "last site day; default: the last day with data"

[params.n_days]
type = "BIGINT"
default = 30
doc = "number of site days in the period that ends with last_day"

[params.finding]
type = "VARCHAR"
default = ""
doc = "id of one finding; default: all findings that fired in the period"

[columns]
finding_id = { type = "VARCHAR", doc = "id of the finding: a hash of its rule and entity, so it is the same every day" }
day = { type = "DATE", doc = "site day. Findings of a longer judged period are shown on its last day" }
outcome = { type = "VARCHAR", doc = "fired, quiet (the rules ran and this finding did not fire), withheld (too few logs to judge it) or not_run (the rules did not run for this day, or for a period that ends on it)" }
state = { type = "VARCHAR", doc = "state of the finding on that day: new, open, returned, acknowledged or muted; NULL where the finding did not fire" }
severity = { type = "VARCHAR", doc = "severity of the finding on that day; NULL where the finding did not fire" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "upper limit of the drive-hours or station-hours that the finding cost; NULL where the finding did not fire, or where its cost is not known" }
gain_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "extra data per day that would move if the finding's cause were fixed; NULL where the finding did not fire, or where the gain is not known" }
*/
WITH day AS (
    SELECT CAST(unnest(range(CAST($last_day AS TIMESTAMP) - to_days(CAST($n_days - 1 AS INTEGER)),
                             CAST($last_day AS TIMESTAMP) + INTERVAL 1 DAY, INTERVAL 1 DAY)) AS DATE) AS day
),
fired AS (
    SELECT finding_id, day, any_value(state) AS state,
           arg_min(severity, CASE severity WHEN 'critical' THEN 1 WHEN 'warning' THEN 2 ELSE 3 END) AS severity,
           sum(lost_hours) AS lost_hours, sum(gain_gb_day) AS gain_gb_day
    FROM gold.finding WHERE day IN (FROM day) AND $finding IN ('', finding_id) GROUP BY finding_id, day
)
SELECT n.finding_id, d.day,
       CASE WHEN f.day IS NOT NULL THEN 'fired' WHEN w.day IS NOT NULL THEN 'withheld' WHEN j.day IS NOT NULL THEN 'quiet'
            ELSE 'not_run' END AS outcome, f.state, f.severity, f.lost_hours, f.gain_gb_day
FROM (SELECT DISTINCT finding_id FROM fired) n CROSS JOIN day d
LEFT JOIN fired f ON f.finding_id = n.finding_id AND f.day = d.day
LEFT JOIN (SELECT DISTINCT finding_id, day FROM gold.suppressed_verdict) w ON w.finding_id = n.finding_id AND w.day = d.day
LEFT JOIN (SELECT DISTINCT day FROM ops.detection) j ON j.day = d.day
ORDER BY n.finding_id, d.day
