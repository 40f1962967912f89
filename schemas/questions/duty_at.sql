/*
title = "Duty factor at a threshold"
topic = "stations"
why = "The share of a station's half-hours above a threshold, and how it falls as the threshold rises."
takes = ["last_day", "station"]

[params.n_days]
type = "BIGINT"
default = "7"
doc = "number of site days, up to last_day"

[params.threshold_mb_s]
type = "DOUBLE"
default = "5"
doc = "average above which a half-hour is active; the site's own threshold is always among them"

[columns]
station = { type = "VARCHAR", doc = "station" }
role = { type = "VARCHAR", doc = "its role" }
direction = { type = "VARCHAR", doc = "in or out, of the station" }
threshold_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "threshold" }
n_bins = { type = "BIGINT", doc = "half-hours that the links' logs cover completely" }
duty_factor = { type = "DOUBLE", unit = "1", doc = "share of n_bins above the threshold; NULL for scanning stations" }
*/
WITH threshold AS (
    SELECT CAST(unnest([0.5, 1, 2, 3, 5, 7.5, 10, 15, 20, 30, 40, 50, 60, 80, 100, 150, 200]) AS DOUBLE) AS mb_s
    UNION SELECT CAST($threshold_mb_s AS DOUBLE)
    UNION SELECT duty_threshold_mb_s FROM site.setting
)
SELECT w.station, t.role, w.direction, h.mb_s AS threshold_mb_s, count(*) AS n_bins,
       CASE WHEN t.role = 'scanning' THEN NULL
            ELSE count(*) FILTER (w.counted_gb * 1e3 / 1800 > h.mb_s) / count(*) END AS duty_factor
FROM gold.link_reconciliation w JOIN site.station t ON t.station = w.station CROSS JOIN threshold h
WHERE w.day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day AND $station IN ('', w.station)
GROUP BY w.station, t.role, w.direction, h.mb_s
ORDER BY w.station, w.direction, h.mb_s
