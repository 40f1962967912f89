/*
title = "Stations that take in and give nothing out"
topic = "stations"
why = "A station that reads tapes to check them fills no spool and feeds no tape: its traffic is no migration, and belongs in no duty factor. What traffic shows is held against what site.toml says."

[params.last_day]
type = "DATE"
doc = "last site day of the week; the last day with data if left out"

[params.n_days]
type = "BIGINT"
default = "7"
doc = "length of the period in days"

[columns]
station = { type = "VARCHAR", doc = "station with traffic both ways known" }
role = { type = "VARCHAR", doc = "its role in site.toml" }
in_gb = { type = "DOUBLE", unit = "GB", doc = "into it" }
out_gb = { type = "DOUBLE", unit = "GB", doc = "out of it" }
low_active_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average of the lowest active half-hour in" }
high_active_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average of the highest one in" }
is_scanning_like = { type = "BOOLEAN", doc = "at least 100 GB came in, and at most a twentieth of it went out" }
is_declared = { type = "BOOLEAN", doc = "site.toml calls it scanning" }
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
