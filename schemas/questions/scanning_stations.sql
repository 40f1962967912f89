/*
title = "Stations that receive data and send almost nothing"
topic = "stations"
why = "A scanning station only reads tapes to check them. It does not migrate data, so pages and reports show no duty factor for it. This question compares each station's traffic with the role declared in site.toml."

[params.last_day]
type = "DATE"
doc = "last site day of the period; default: the last day with data"

[params.n_days]
type = "BIGINT"
default = "7"
doc = "number of site days in the period that ends with last_day"

[columns]
station = { type = "VARCHAR", doc = "station whose traffic is known in both directions" }
role = { type = "VARCHAR", doc = "role of the station in site.toml" }
in_gb = { type = "DOUBLE", unit = "GB", doc = "data that the station received" }
out_gb = { type = "DOUBLE", unit = "GB", doc = "data that the station sent" }
low_active_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "lowest average rate towards the station in an active half-hour: one in which this rate exceeds duty_threshold_mb_s in site.toml. NULL without such a half-hour" }
high_active_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest average rate towards the station in an active half-hour: one in which this rate exceeds duty_threshold_mb_s in site.toml. NULL without such a half-hour" }
is_scanning_like = { type = "BOOLEAN", doc = "true if the station received at least 100 GB and sent at most a twentieth of what it received" }
is_declared = { type = "BOOLEAN", doc = "true if site.toml declares the station's role as scanning" }
*/
WITH side AS (
    SELECT station, role, direction, sum(moved_gb) AS moved_gb, min(low_active_mb_s) AS low_mb_s,
           max(high_active_mb_s) AS high_mb_s
    FROM gold.duty_factor
    WHERE day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day
    GROUP BY station, role, direction
)
SELECT i.station, i.role, i.moved_gb AS in_gb, o.moved_gb AS out_gb, i.low_mb_s AS low_active_mb_s,
       i.high_mb_s AS high_active_mb_s, i.moved_gb >= 100 AND o.moved_gb <= i.moved_gb / 20 AS is_scanning_like,
       i.role = 'scanning' AS is_declared
FROM side i
JOIN side o ON o.station = i.station AND o.direction = 'out'
WHERE i.direction = 'in'
ORDER BY is_scanning_like DESC, i.station
