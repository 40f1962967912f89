/*
title = "Number of stations that would suffice if they were always active"
topic = "stations"
why = "The sum of all stations' duty factors is the number of stations that could do all the work if they were always active. Example: the sum is 2.4 at a site with eight stations, so more than five stations are idle on average."
takes = ["last_day", "station"]

[params.n_days]
type = "BIGINT"
default = "7"
doc = "number of site days in the period that ends with last_day"

[columns]
direction = { type = "VARCHAR", doc = "in (towards the stations) or out (away from the stations)" }
n_stations = { type = "BIGINT", doc = "number of stations with known traffic. Scanning stations, which only read tapes to check them, do not count" }
duty_total = { type = "DOUBLE", unit = "1", doc = "sum of the duty factors of the stations counted in n_stations" }
moved_tb = { type = "DOUBLE", unit = "TB", doc = "data carried in that direction by the links of the stations counted in n_stations" }
*/
WITH station AS (
    SELECT station, direction, sum(n_active) / sum(n_bins) AS duty_factor, sum(moved_gb) AS moved_gb
    FROM gold.duty_factor
    WHERE day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day AND role <> 'scanning'
      AND $station IN ('', station)
    GROUP BY station, direction
)
SELECT direction, count(*) AS n_stations, sum(duty_factor) AS duty_total, sum(moved_gb) / 1e3 AS moved_tb
FROM station
GROUP BY direction
ORDER BY direction
