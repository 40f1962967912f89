/*
title = "Load of links"
grain = "one row per hour, link and direction of traffic (from the station's view)"
why = "Shows how close the traffic of each link came to the link's capacity."
partition = "month"
features = ["M06"]

[columns]
day = { type = "DATE", doc = "site day of hour_at" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC" }
link = { type = "VARCHAR", doc = "link" }
station = { type = "VARCHAR", doc = "station" }
direction = { type = "VARCHAR", doc = "in (towards the station) or out (away from the station)" }
covered_s = { type = "DOUBLE", unit = "s", was = "seen_s", doc = "seconds of the hour for which traffic data exist" }
avg_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate over the seconds in covered_s" }
max_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest rate between two polls of the link, from the same samples as avg_mb_s; NULL where these samples do not record a highest rate" }
capacity_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "capacity of the link, as in gold.link_stretch" }
load = { type = "DOUBLE", unit = "1", doc = "avg_mb_s / capacity_mb_s" }
peak_load = { type = "DOUBLE", unit = "1", doc = "max_mb_s / capacity_mb_s" }
full_s = { type = "DOUBLE", unit = "s", doc = "seconds of the hour in which the link was full. A sample counts if its average rate is at least 0.9 of the capacity. NULL without a capacity" }
full_most_s = { type = "DOUBLE", unit = "s", doc = "upper limit of full_s. Samples in which only max_mb_s reaches 0.9 of the capacity count in part (full_most_s in gold.link_stretch). NULL without a capacity" }
full_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate while the link was full (full_s); NULL where full_s is 0" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "load"
min_value = 0
max_value = 1.1
severity = "warning"
*/
WITH hourly AS (
    SELECT link, direction, date_trunc('hour', from_at) AS hour_at, any_value(station) AS station,
           sum(date_diff('microsecond', from_at, to_at)) / 1e6 AS covered_s,
           sum(avg_mb_s * (date_diff('microsecond', from_at, to_at) / 1e6)) AS moved_mb, max(max_mb_s) AS max_mb_s,
           any_value(capacity_mb_s) AS capacity_mb_s, sum(full_s) AS full_s, sum(full_most_s) AS full_most_s,
           sum(avg_mb_s * full_s) AS full_mb
    FROM gold.link_stretch GROUP BY link, direction, date_trunc('hour', from_at)
)
SELECT site_day(h.hour_at, s.zone) AS day, h.hour_at, h.link, h.station, h.direction,
       h.covered_s, h.moved_mb / h.covered_s AS avg_mb_s, h.max_mb_s, h.capacity_mb_s,
       h.moved_mb / h.covered_s / h.capacity_mb_s AS load, h.max_mb_s / h.capacity_mb_s AS peak_load,
       h.full_s, h.full_most_s, h.full_mb / nullif(h.full_s, 0) AS full_mb_s
FROM hourly h CROSS JOIN site.setting s
