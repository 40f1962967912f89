/*
title = "Drives' work before and after recommendations"
why = "Lists the data moved per day by the drives of a recommendation and by other drives of their kind, to compute the achieved gain. The day on which the recommendation was applied is left out."

[params.last_day]
type = "DATE"
doc = "site day for which the state is reported, and last site day to compare; default: the last day with data"

[params.n_days]
type = "BIGINT"
default = "28"
doc = "number of site days to compare on each side of the day on which the recommendation was applied"

[columns]
number = { type = "BIGINT", doc = "number of the recommendation" }
text = { type = "VARCHAR", doc = "text of the recommendation" }
state = { type = "VARCHAR", doc = "made, applied or dropped: state of the recommendation on last_day" }
made_day = { type = "DATE", doc = "last site day that had data when the recommendation was made" }
applied_day = { type = "DATE", doc = "first site day on which the recommendation was in effect; NULL if the recommendation was not applied by last_day" }
is_hours = { type = "BOOLEAN", doc = "true if the recommendation gives drives more hours of work; false if it raises the rate of drives" }
predicted_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "predicted gain" }
predicted_gb_day_low = { type = "DOUBLE", was = "predicted_least_gb_day", unit = "GB/day", doc = "low end of the 90 % interval of the predicted gain" }
predicted_gb_day_high = { type = "DOUBLE", was = "predicted_most_gb_day", unit = "GB/day", doc = "high end of the 90 % interval of the predicted gain" }
day = { type = "DATE", doc = "site day; NULL where there is no day to compare" }
is_after = { type = "BOOLEAN", doc = "true for a day after the day on which the recommendation was applied, false for a day before it" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data moved that day by the drives that the recommendation concerns" }
busy_hours = { type = "DOUBLE", unit = "h", doc = "busy_hours of gold.lost_time that day, summed over the drives that the recommendation concerns" }
peers_gb = { type = "DOUBLE", unit = "GB", doc = "data moved that day by other drives of the same technologies" }
peers_hours = { type = "DOUBLE", unit = "h", doc = "busy_hours of gold.lost_time that day, summed over other drives of the same technologies" }
covered_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours that logs cover that day, summed over all drives of the site" }
*/
WITH last_event AS (
    -- a repeated event is a correction: the last one of each kind counts, from its day on
    SELECT number, event, arg_max(day, step) AS day, max(step) AS step FROM ops.recommendation GROUP BY number, event
),
stated AS (
    SELECT number, coalesce(arg_max(event, step) FILTER (WHERE event <> 'made'), 'made') AS state,
           max(day) FILTER (WHERE event = 'applied') AS applied_day
    FROM last_event WHERE day <= $last_day GROUP BY number
),
made AS (
    SELECT number, max(CASE WHEN event = 'made' THEN text END) AS text,
           max(CASE WHEN event = 'made' THEN day END) AS made_day, bool_or(is_hours) AS is_hours,
           max(CASE WHEN event = 'made' THEN drives END) AS drives, max(predicted_gb_day) AS predicted_gb_day,
           max(predicted_gb_day_low) AS predicted_gb_day_low, max(predicted_gb_day_high) AS predicted_gb_day_high
    FROM ops.recommendation GROUP BY number
),
judged AS (
    SELECT m.*, s.state, s.applied_day FROM made m JOIN stated s ON s.number = m.number
),
own AS (
    SELECT number, unnest(string_split(drives, chr(10))) AS drive FROM judged
),
kind AS (
    SELECT DISTINCT m.number, d.generation FROM own m JOIN site.drive d ON d.drive = m.drive
    WHERE d.generation IS NOT NULL
),
covered AS (
    SELECT day, sum(covered_us) / 3600e6 AS covered_hours FROM gold.drive_day GROUP BY day
),
worked AS (
    SELECT day, drive, any_value(moved_gb) AS moved_gb, any_value(busy_hours) AS busy_hours
    FROM gold.lost_time GROUP BY day, drive
),
sided AS (
    SELECT t.number, w.day, w.moved_gb, w.busy_hours, m.drive IS NOT NULL AS is_own
    FROM judged t
    JOIN worked w ON w.day <= $last_day AND w.day <> t.applied_day
        AND abs(date_diff('day', t.applied_day, w.day)) <= $n_days
    LEFT JOIN own m ON m.number = t.number AND m.drive = w.drive
    LEFT JOIN site.drive d ON d.drive = w.drive
    LEFT JOIN kind k ON k.number = t.number AND k.generation = d.generation
    WHERE m.drive IS NOT NULL OR k.generation IS NOT NULL
),
summed AS (
    -- whole bytes and microseconds: their sum does not depend on the order in which the drives come
    SELECT number, day,
           coalesce(sum(CAST(round(1e9 * moved_gb) AS HUGEINT)) FILTER (WHERE is_own), 0) / 1e9 AS moved_gb,
           coalesce(sum(CAST(round(3600e6 * busy_hours) AS HUGEINT)) FILTER (WHERE is_own), 0) / 3600e6 AS busy_hours,
           coalesce(sum(CAST(round(1e9 * moved_gb) AS HUGEINT)) FILTER (WHERE NOT is_own), 0) / 1e9 AS peers_gb,
           coalesce(sum(CAST(round(3600e6 * busy_hours) AS HUGEINT)) FILTER (WHERE NOT is_own), 0) / 3600e6
               AS peers_hours
    FROM sided GROUP BY number, day
)
SELECT t.number, t.text, t.state, t.made_day, t.applied_day, t.is_hours, t.predicted_gb_day, t.predicted_gb_day_low,
       t.predicted_gb_day_high, s.day, s.day > t.applied_day AS is_after, s.moved_gb, s.busy_hours, s.peers_gb,
       s.peers_hours, CASE WHEN s.day IS NOT NULL THEN coalesce(h.covered_hours, 0) END AS covered_hours
FROM judged t LEFT JOIN summed s ON s.number = t.number
LEFT JOIN covered h ON h.day = s.day
ORDER BY t.number, s.day
