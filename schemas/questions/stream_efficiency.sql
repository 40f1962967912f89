/*
title = "How well stations use their streams"
topic = "stations"
why = "A stream that runs at 75 MB/s while active and at 33 MB/s over the hours is idle for most of them."
takes = ["last_day"]

[params.n_days]
type = "BIGINT"
default = "7"
doc = "number of site days, up to last_day"

[columns]
station = { type = "VARCHAR", doc = "station" }
direction = { type = "VARCHAR", doc = "in (from tape to the station, by reads) or out (by writes)" }
n_days_active = { type = "BIGINT", doc = "days with active half-hours" }
long_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average over active half-hours, with gaps between files" }
stream_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of one stream while a file moves, on the last day on which it is known" }
n_streams = { type = "BIGINT", doc = "streams needed for the long rate, maximum of the days" }
efficiency = { type = "DOUBLE", unit = "1", doc = "long / (streams x stream), weighted by active half-hours; NULL where no log shows a stream's rate" }
*/
SELECT station, direction, count(*) AS n_days_active, sum(long_mb_s * n_active) / sum(n_active) AS long_mb_s,
       arg_max(stream_mb_s, day) FILTER (stream_mb_s IS NOT NULL) AS stream_mb_s, max(n_streams) AS n_streams,
       sum(efficiency * n_active) / sum(n_active) FILTER (efficiency IS NOT NULL) AS efficiency
FROM gold.station_efficiency
WHERE day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day
GROUP BY station, direction
ORDER BY station, direction
