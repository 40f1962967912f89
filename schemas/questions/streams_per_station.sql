/*
title = "Rate per stream at a station, by number of simultaneous streams"
topic = "stations"
why = "Shows at which number of simultaneous streams the disks of a station become slower than tape."
takes = ["first_day", "last_day"]

[columns]
station = { type = "VARCHAR", doc = "station" }
mode = { type = "VARCHAR", doc = "mode of the streams whose rates are shown: read (from tape) or write (to tape)" }
n_streams = { type = "BIGINT", doc = "number of streams in that mode at the same time" }
n_opposite = { type = "BIGINT", doc = "number of streams in the opposite mode that ran at the same time" }
duration_s = { type = "DOUBLE", unit = "s", doc = "time in which exactly n_streams and n_opposite streams ran" }
total_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average total rate of all streams in that mode" }
stream_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "mean rate per stream in that mode" }
retained_share = { type = "DOUBLE", was = "kept", unit = "1", doc = "stream_mb_s / rate of a single stream in the same mode while no other stream runs at the station. NULL where no stream in that mode ran alone in the period" }
fairness = { type = "DOUBLE", unit = "1", doc = "how equal the rates of the simultaneous streams are (Jain's fairness index); 1 means that all are equal" }
*/
WITH summed AS (
    SELECT station, mode, n_streams, n_opposite, sum(duration_s) AS duration_s, sum(total_mb_s * duration_s) / sum(duration_s) AS total_mb_s,
           sum(fairness * duration_s) / sum(duration_s) AS fairness
    FROM gold.stream_concurrency
    WHERE day BETWEEN $first_day AND $last_day
    GROUP BY station, mode, n_streams, n_opposite
)
SELECT station, mode, n_streams, n_opposite, duration_s, total_mb_s, total_mb_s / n_streams AS stream_mb_s,
       total_mb_s / n_streams
           / max(total_mb_s) FILTER (n_streams = 1 AND n_opposite = 0) OVER (PARTITION BY station, mode) AS retained_share, fairness
FROM summed
ORDER BY station, mode, n_streams, n_opposite
