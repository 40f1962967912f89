/*
title = "Load of network links per hour"
topic = "host"
why = "Shows whether a link is full: its average rate in each hour, and its highest rate compared with its capacity."
takes = ["first_day", "last_day", "station"]

[columns]
link = { type = "VARCHAR", doc = "name of the network link" }
station = { type = "VARCHAR", doc = "station" }
direction = { type = "VARCHAR", doc = "in (towards the station) or out (away from the station)" }
from_at = { type = "TIMESTAMP", doc = "start of the hour, UTC; for periods of more than 22 days, start of the site day" }
avg_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate over the part of the hour (or day) that the log covers" }
max_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest rate that the link's log shows in that hour (or day); NULL where the log has only average rates" }
capacity_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest rate that the link can carry; NULL where it is not known" }
max_share = { type = "DOUBLE", unit = "1", doc = "max_mb_s / capacity_mb_s; NULL where one of them is NULL" }
*/
SELECT link, station, direction,
       CASE WHEN date_diff('day', CAST($first_day AS DATE), CAST($last_day AS DATE)) > 21 THEN day_begin(day, zone)
            ELSE hour_at END AS from_at,
       sum(avg_mb_s * covered_s ORDER BY hour_at) / sum(covered_s ORDER BY hour_at) AS avg_mb_s, max(max_mb_s) AS max_mb_s,
       max(capacity_mb_s) AS capacity_mb_s, max(max_mb_s) / max(capacity_mb_s) AS max_share
FROM gold.link_load CROSS JOIN site.setting
WHERE day BETWEEN $first_day AND $last_day AND $station IN ('', station)
GROUP BY ALL
ORDER BY link, direction, from_at
