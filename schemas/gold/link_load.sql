/*
title = "Load of links"
grain = "one row per link, station direction and hour"
why = "How near a link came to what it can carry."
partition = "month"
features = ["M06"]

[columns]
day = { type = "DATE", doc = "site day of hour_at" }
hour_at = { type = "TIMESTAMP", doc = "begin of the hour, UTC" }
link = { type = "VARCHAR", doc = "link" }
station = { type = "VARCHAR", doc = "station" }
direction = { type = "VARCHAR", doc = "in or out, of the station" }
seen_s = { type = "DOUBLE", unit = "s", doc = "seconds of the hour with data" }
avg_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average over those seconds" }
max_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "largest poll rate of a row that touches the hour" }
capacity_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "capacity of the link" }
load = { type = "DOUBLE", unit = "1", doc = "average / capacity" }
peak_load = { type = "DOUBLE", unit = "1", doc = "largest poll rate / capacity" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "load"
min_value = 0
max_value = 1.1
severity = "warning"
*/
WITH cut AS (
    SELECT link, station, direction, from_at, to_at, avg_bytes_s, max_bytes_s,
           unnest(range(date_trunc('hour', from_at), to_at, INTERVAL 1 HOUR)) AS hour_at
    FROM silver.link_sample
),
clipped AS (
    SELECT link, station, direction, hour_at, avg_bytes_s, max_bytes_s,
           date_diff('microsecond', from_at, to_at) AS row_us,
           greatest(from_at, hour_at) AS from_at, least(to_at, hour_at + INTERVAL 1 HOUR) AS to_at
    FROM cut
    WHERE to_at > from_at
),
-- coarse rows that finer ones cover in part remain in silver: between two edges the finest row counts, alone
edge AS (
    SELECT link, direction, hour_at, from_at AS edge_at FROM clipped
    UNION SELECT link, direction, hour_at, to_at FROM clipped
),
stretch AS (
    SELECT link, direction, hour_at, edge_at AS from_at,
           lead(edge_at) OVER (PARTITION BY link, direction, hour_at ORDER BY edge_at) AS to_at
    FROM edge
),
finest AS (
    SELECT s.link, s.direction, s.hour_at, date_diff('microsecond', s.from_at, s.to_at) / 1e6 AS part_s,
           arg_min(c.avg_bytes_s, c.row_us) AS avg_bytes_s
    FROM stretch s
    JOIN clipped c ON c.link = s.link AND c.direction = s.direction AND c.hour_at = s.hour_at
        AND c.from_at <= s.from_at AND c.to_at >= s.to_at
    GROUP BY s.link, s.direction, s.hour_at, s.from_at, s.to_at
),
moved AS (
    SELECT link, direction, hour_at, sum(part_s) AS seen_s, sum(avg_bytes_s * part_s) / sum(part_s) / 1e6 AS avg_mb_s
    FROM finest GROUP BY link, direction, hour_at
),
peak AS (
    SELECT link, direction, hour_at, any_value(station) AS station, max(max_bytes_s) / 1e6 AS max_mb_s
    FROM clipped GROUP BY link, direction, hour_at
)
SELECT CAST(timezone(s.zone, timezone('UTC', m.hour_at)) AS DATE) AS day, m.hour_at, m.link, p.station, m.direction,
       m.seen_s, m.avg_mb_s, p.max_mb_s, l.capacity_mb_s, m.avg_mb_s / l.capacity_mb_s AS load,
       p.max_mb_s / l.capacity_mb_s AS peak_load
FROM moved m
JOIN peak p ON p.link = m.link AND p.direction = m.direction AND p.hour_at = m.hour_at
LEFT JOIN site.link l ON l.link = m.link
CROSS JOIN site.setting s
