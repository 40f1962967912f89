/*
title = "Traffic of each network link"
topic = "host"
why = "Shows what each link carried in the period and when it was busiest. Links without a station in site.toml are included."
takes = ["first_day", "last_day"]

[columns]
link = { type = "VARCHAR", doc = "name of the network link" }
station = { type = "VARCHAR", doc = "station; NULL where site.toml names no station for the link" }
direction = { type = "VARCHAR", doc = "in (towards the station) or out (away from the station). If the monitored side of the link is not known, in and out are as the port counts them" }
covered_hours = { type = "DOUBLE", unit = "h", doc = "hours of the period for which the link's log shows a rate" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data that passed the link in the hours counted in covered_hours" }
avg_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate over the hours counted in covered_hours" }
busiest_at = { type = "TIMESTAMP", doc = "start of the hour with the highest average rate, UTC" }
busiest_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate in the hour that starts at busiest_at, over the part that the log covers" }
max_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest rate that the link's log shows in the period; NULL where the log has only average rates" }
max_share = { type = "DOUBLE", unit = "1", doc = "max_mb_s / capacity of the link; NULL where one of them is not known" }
*/
SELECT link, any_value(station) AS station, direction, sum(covered_s) / 3600 AS covered_hours,
       sum(avg_mb_s * covered_s ORDER BY hour_at) / 1e3 AS moved_gb,
       sum(avg_mb_s * covered_s ORDER BY hour_at) / sum(covered_s) AS avg_mb_s,
       arg_max(hour_at, avg_mb_s ORDER BY hour_at) AS busiest_at, max(avg_mb_s) AS busiest_mb_s, max(max_mb_s) AS max_mb_s,
       max(max_mb_s) / max(capacity_mb_s) AS max_share
FROM gold.link_load
WHERE day BETWEEN $first_day AND $last_day
GROUP BY link, direction
ORDER BY link, direction
