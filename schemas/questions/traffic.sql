/*
title = "Network traffic of stations"
topic = "stations"
why = "Shows the traffic into and out of each station, by link, as in MRTG's graphs: the average rate and the highest rate in each time step."
takes = ["first_day", "last_day", "station"]

[params.n]
type = "BIGINT"
default = "336"
doc = "maximum number of time steps per link and direction"

[columns]
station = { type = "VARCHAR", doc = "station" }
link = { type = "VARCHAR", doc = "name of the station's network link" }
direction = { type = "VARCHAR", doc = "in (towards the station) or out (away from the station)" }
bin_at = { type = "TIMESTAMP", doc = "start of the time step over which traffic is averaged, UTC" }
bin_s = { type = "DOUBLE", unit = "s", doc = "length of the time step: half an hour, or a multiple of it to limit the number of points" }
avg_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate over the part of the time step that the log covers" }
max_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest rate that the link's log shows in the time step. If the log has only averages, e.g. over 5 minutes, this is the highest average" }
*/
WITH wide AS (
    SELECT zone, CAST(1800 * ceil((date_diff('day', CAST($first_day AS DATE), CAST($last_day AS DATE)) + 1) * 48 / $n)
                      AS BIGINT) AS bin_s
    FROM site.setting
),
sample AS (
    SELECT s.*, w.bin_s, time_bucket(to_seconds(w.bin_s), s.from_at) AS bin_at,
           date_diff('microsecond', s.from_at, s.to_at) AS us
    FROM silver.link_sample s CROSS JOIN wide w
    WHERE near_days(s.day, $first_day, $last_day) AND s.station IS NOT NULL AND $station IN ('', s.station)
      AND in_days(s.from_at, $first_day, $last_day, w.zone)
)
SELECT station, link, direction, bin_at, CAST(any_value(bin_s) AS DOUBLE) AS bin_s,
       sum(CAST(round(avg_bytes_s * us / 1e6) AS BIGINT)) / sum(us) AS avg_mb_s,
       max(coalesce(max_bytes_s, avg_bytes_s)) / 1e6 AS max_mb_s
FROM sample
WHERE us > 0
GROUP BY station, link, direction, bin_at
ORDER BY station, link, direction, bin_at
