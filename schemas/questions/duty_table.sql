/*
title = "Duty factor of stations over a week"
topic = "stations"
was = ["active_rates"]
why = "Shows how busy each station was in a period (by default, the week up to the last day). A half-hour is active if its traffic is above the site's threshold. This shows the share of active half-hours, and the rates in them."

[params.last_day]
type = "DATE"
doc = "last site day of the period; default: the last day with data"

[params.n_days]
type = "BIGINT"
default = "7"
doc = "number of site days in the period that ends with last_day"

[columns]
station = { type = "VARCHAR", doc = "station; stations with the role stager are left out" }
role = { type = "VARCHAR", doc = "role of the station. A scanning station only reads tapes to check them and has no duty factor" }
first_day = { type = "DATE", doc = "first site day of the period" }
last_day = { type = "DATE", doc = "last site day of the period" }
duty_factor = { type = "DOUBLE", unit = "1", doc = "inbound duty factor: share of half-hours in which traffic towards the station exceeds threshold_mb_s. A half-hour counts only if the log of at least one of the station's links covers it completely. NULL without such half-hours, and for scanning stations" }
duty_factor_out = { type = "DOUBLE", unit = "1", doc = "outbound duty factor: share of half-hours in which traffic away from the station exceeds threshold_mb_s. A half-hour counts only if the log of at least one of the station's links covers it completely. NULL without such half-hours, and for scanning stations" }
duty_half = { type = "DOUBLE", unit = "1", doc = "share of half-hours in which traffic towards the station exceeds half of threshold_mb_s. A half-hour counts only if the log of at least one of the station's links covers it completely. NULL without such half-hours, and for scanning stations" }
duty_twice = { type = "DOUBLE", unit = "1", doc = "share of half-hours in which traffic towards the station exceeds twice threshold_mb_s. A half-hour counts only if the log of at least one of the station's links covers it completely. NULL without such half-hours, and for scanning stations" }
threshold_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "the site's threshold: a half-hour is active if its average rate is above this" }
active_in_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate towards the station over active half-hours: those in which this rate exceeds threshold_mb_s. NULL without active half-hours" }
active_out_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate away from the station over active half-hours: those in which this rate exceeds threshold_mb_s. NULL without active half-hours" }
low_in_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "lowest average rate towards the station in an active half-hour (see active_in_mb_s)" }
high_in_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest average rate towards the station in an active half-hour (see active_in_mb_s)" }
low_out_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "lowest average rate away from the station in an active half-hour (see active_out_mb_s)" }
high_out_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest average rate away from the station in an active half-hour (see active_out_mb_s)" }
coverage = { type = "DOUBLE", unit = "1", doc = "share of the period's half-hours in which the log of at least one of the station's links shows the traffic towards the station completely" }
*/
WITH summed AS (
    SELECT station, direction, sum(n_bins) AS n_bins, sum(n_active) AS n_active, sum(n_active_half) AS n_half,
           sum(n_active_twice) AS n_twice, sum(active_gb) AS active_gb, min(low_active_mb_s) AS low_mb_s, max(high_active_mb_s) AS high_mb_s
    FROM gold.duty_factor
    WHERE day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day
    GROUP BY station, direction
)
SELECT s.station, s.role, CAST($last_day - CAST($n_days AS INTEGER) + 1 AS DATE) AS first_day,
       CAST($last_day AS DATE) AS last_day,
       CASE WHEN s.role = 'scanning' THEN NULL ELSE i.n_active / i.n_bins END AS duty_factor,
       CASE WHEN s.role = 'scanning' THEN NULL ELSE o.n_active / o.n_bins END AS duty_factor_out,
       CASE WHEN s.role = 'scanning' THEN NULL ELSE i.n_half / i.n_bins END AS duty_half,
       CASE WHEN s.role = 'scanning' THEN NULL ELSE i.n_twice / i.n_bins END AS duty_twice,
       c.duty_threshold_mb_s AS threshold_mb_s,
       i.active_gb * 1e3 / nullif(i.n_active * 1800, 0) AS active_in_mb_s,
       o.active_gb * 1e3 / nullif(o.n_active * 1800, 0) AS active_out_mb_s,
       i.low_mb_s AS low_in_mb_s, i.high_mb_s AS high_in_mb_s, o.low_mb_s AS low_out_mb_s, o.high_mb_s AS high_out_mb_s,
       coalesce(i.n_bins, 0) * 1800
           / date_diff('second', day_begin($last_day - CAST($n_days AS INTEGER) + 1, c.zone), day_end($last_day, c.zone)) AS coverage
FROM site.station s
CROSS JOIN site.setting c
LEFT JOIN summed i ON i.station = s.station AND i.direction = 'in'
LEFT JOIN summed o ON o.station = s.station AND o.direction = 'out'
WHERE s.role <> 'stager'
ORDER BY s.station
