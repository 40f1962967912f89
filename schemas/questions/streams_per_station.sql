/*
title = "Rate of a stream by the number of streams"
topic = "stations"
why = "At how many streams does a station's disk drop below tape speed?"
takes = ["first_day", "last_day"]

[columns]
station = { type = "VARCHAR", doc = "station" }
mode = { type = "VARCHAR", doc = "read (from tape) or write" }
n_streams = { type = "BIGINT", doc = "streams of that mode at once" }
n_opposite = { type = "BIGINT", doc = "streams the other way meanwhile" }
seen_s = { type = "DOUBLE", unit = "s", doc = "seconds in which it was so" }
total_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "streams of that mode together" }
stream_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "one of them" }
kept = { type = "DOUBLE", unit = "1", doc = "that / what a stream of that mode alone does at this station; NULL where none was ever alone" }
fairness = { type = "DOUBLE", unit = "1", doc = "Jain's index: 1 all alike" }
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
           / max(total_mb_s) FILTER (n_streams = 1 AND n_opposite = 0) OVER (PARTITION BY station, mode) AS kept, fairness
FROM summed
ORDER BY station, mode, n_streams, n_opposite
