/*
title = "Range of stations' rates while active"
why = "Between which half-hour averages a station's traffic lies while it has any, and for how much of the time: what one reads off the weekly plots."

[params.last_day]
type = "DATE"
doc = "last site day of the week; the last day with data if left out"

[params.n_days]
type = "BIGINT"
default = "7"
doc = "length of the period in days"

[columns]
station = { type = "VARCHAR", doc = "station" }
role = { type = "VARCHAR", doc = "role of the station" }
direction = { type = "VARCHAR", doc = "in or out, of the station" }
duty_factor = { type = "DOUBLE", unit = "1", doc = "share of the half-hours seen that were active; NULL where scanning" }
low_active_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average of the lowest active half-hour" }
high_active_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average of the highest one" }
*/
SELECT station, role, direction,
       CASE WHEN role = 'scanning' THEN NULL ELSE sum(n_active) / sum(n_bins) END AS duty_factor,
       min(low_active_mb_s) AS low_active_mb_s, max(high_active_mb_s) AS high_active_mb_s
FROM gold.duty_factor
WHERE day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day
GROUP BY station, role, direction
ORDER BY station, direction
