/*
title = "Rate of a stream by the number of streams"
topic = "stations"
why = "The number of streams at which a station's disk drops below tape speed."
takes = ["first_day", "last_day"]

[columns]
station = { type = "VARCHAR", doc = "station" }
mode = { type = "VARCHAR", doc = "read (from tape) or write" }
n_streams = { type = "BIGINT", doc = "streams of that mode at once" }
n_opposite = { type = "BIGINT", doc = "streams the other way meanwhile" }
seen_s = { type = "DOUBLE", unit = "s", doc = "seconds with these numbers" }
total_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "total rate of the streams of that mode" }
stream_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "mean rate of one stream" }
retained_share = { type = "DOUBLE", was = "kept", unit = "1", doc = "that / the rate of a single stream of that mode at this station; NULL where there was never a single one" }
fairness = { type = "DOUBLE", unit = "1", doc = "Jain's index; 1 means all equal" }
*/
WITH summed AS (
    SELECT station, mode, n_streams, n_opposite, sum(seen_s) AS seen_s, sum(total_mb_s * seen_s) / sum(seen_s) AS total_mb_s,
           sum(fairness * seen_s) / sum(seen_s) AS fairness
    FROM gold.stream_concurrency
    WHERE day BETWEEN $first_day AND $last_day
    GROUP BY station, mode, n_streams, n_opposite
)
SELECT station, mode, n_streams, n_opposite, seen_s, total_mb_s, total_mb_s / n_streams AS stream_mb_s,
       total_mb_s / n_streams
           / max(total_mb_s) FILTER (n_streams = 1 AND n_opposite = 0) OVER (PARTITION BY station, mode) AS retained_share, fairness
FROM summed
ORDER BY station, mode, n_streams, n_opposite
