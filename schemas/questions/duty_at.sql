/*
title = "Duty factor of stations at a chosen threshold"
topic = "stations"
why = "The duty factor is the share of half-hours in which a station's traffic is above a threshold. This shows how the duty factor falls as the threshold rises."
takes = ["last_day", "station"]

[params.n_days]
type = "BIGINT"
default = "7"
doc = "number of site days in the period that ends with last_day"

[params.threshold_mb_s]
type = "DOUBLE"
default = "5"
doc = "a half-hour is active if its average rate is above this threshold. Results for other thresholds, including that of site.toml, are always added"

[columns]
station = { type = "VARCHAR", doc = "station" }
role = { type = "VARCHAR", doc = "role of the station: migration, scanning, stager or unknown" }
direction = { type = "VARCHAR", doc = "in (towards the station) or out (away from the station)" }
threshold_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "threshold: a half-hour is active if its average rate is above this" }
n_bins = { type = "BIGINT", doc = "number of half-hours that the logs of all the station's links cover completely" }
duty_factor = { type = "DOUBLE", unit = "1", doc = "half-hours with an average rate above the threshold / n_bins; NULL for scanning stations, which only read tapes to check them" }
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
