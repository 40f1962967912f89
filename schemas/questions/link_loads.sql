/*
title = "Load of links over the hours"
topic = "host"
why = "Whether a link is full: its average over each hour, its highest peak, and its capacity."
takes = ["first_day", "last_day", "station"]

[columns]
link = { type = "VARCHAR", doc = "link" }
station = { type = "VARCHAR", doc = "station" }
direction = { type = "VARCHAR", doc = "in or out, of the station" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC; for periods over three weeks start of the day" }
avg_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average over the covered seconds" }
max_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest value in a log" }
capacity_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "capacity of the link; NULL where not known" }
max_share = { type = "DOUBLE", unit = "1", doc = "highest value / capacity" }
*/
SELECT link, station, direction,
       CASE WHEN date_diff('day', CAST($first_day AS DATE), CAST($last_day AS DATE)) > 21 THEN date_trunc('day', hour_at)
            ELSE hour_at END AS hour_at,
       sum(avg_mb_s * seen_s ORDER BY hour_at) / sum(seen_s ORDER BY hour_at) AS avg_mb_s, max(max_mb_s) AS max_mb_s,
       max(capacity_mb_s) AS capacity_mb_s, max(max_mb_s) / max(capacity_mb_s) AS max_share
FROM gold.link_load
WHERE day BETWEEN $first_day AND $last_day AND $station IN ('', station)
GROUP BY ALL
ORDER BY link, direction, hour_at
