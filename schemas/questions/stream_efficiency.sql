/*
title = "Efficiency of the streams to and from stations"
topic = "stations"
why = "Compares the rate of a stream while a file moves with the average rate of the station. Example: a single stream that runs at 75 MB/s while a file moves, but averages 33 MB/s over hours, is idle more than half of the time."
takes = ["last_day"]

[params.n_days]
type = "BIGINT"
default = "7"
doc = "number of site days in the period that ends with last_day"

[columns]
station = { type = "VARCHAR", doc = "station" }
direction = { type = "VARCHAR", doc = "in (from tape to the station) or out (from the station to tape)" }
n_days_active = { type = "BIGINT", doc = "number of days with at least one active half-hour: one in which the average rate of the station's links in this direction exceeded duty_threshold_mb_s in site.toml" }
long_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate of the station's links in active half-hours, including gaps between files" }
stream_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of one stream while a file moves. The value is from the last day of the period on which this rate is known" }
n_streams = { type = "BIGINT", doc = "smallest number of streams that can carry long_mb_s. Computed per day; highest value over the days" }
efficiency = { type = "DOUBLE", unit = "1", doc = "efficiency of the streams: long_mb_s / (n_streams x stream_mb_s). This is not the efficiency f of drives. Computed per day; mean over the days, weighted by active half-hours. NULL where no log shows a stream's rate" }
*/
SELECT station, direction, count(*) AS n_days_active, sum(long_mb_s * n_active) / sum(n_active) AS long_mb_s,
       arg_max(stream_mb_s, day) FILTER (stream_mb_s IS NOT NULL) AS stream_mb_s, max(n_streams) AS n_streams,
       sum(efficiency * n_active) / sum(n_active) FILTER (efficiency IS NOT NULL) AS efficiency
FROM gold.station_efficiency
WHERE day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day
GROUP BY station, direction
ORDER BY station, direction
