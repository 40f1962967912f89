/*
title = "Load of links over stretches of at most an hour"
grain = "one row per link, direction (towards or away from the station) and stretch; a stretch is a time within one hour in which no sample of the link starts or ends"
why = "A link may be full for a few minutes, which an hourly average hides. Where samples overlap, each second counts only in the shortest sample that covers it."
partition = "month"

[columns]
day = { type = "DATE", doc = "site day of from_at" }
link = { type = "VARCHAR", doc = "link" }
station = { type = "VARCHAR", doc = "station" }
direction = { type = "VARCHAR", doc = "in (towards the station) or out (away from the station)" }
from_at = { type = "TIMESTAMP", doc = "start of the stretch" }
to_at = { type = "TIMESTAMP", doc = "end of the stretch; a stretch ends with its UTC hour at the latest" }
avg_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate of the shortest sample that covers the stretch" }
max_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest rate between two polls in the shortest sample that covers the stretch; NULL where this sample has no highest rate" }
capacity_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "capacity of the link: from site.toml, else MaxBytes in MRTG's configuration, else the speed of its ports; NULL where none of these is known" }
full_s = { type = "DOUBLE", unit = "s", doc = "seconds in which the link was full: the length of the stretch if avg_mb_s is at least 0.9 of the capacity, else 0. NULL without a capacity" }
full_most_s = { type = "DOUBLE", unit = "s", doc = "upper limit of full_s. It differs from full_s only if max_mb_s reaches 0.9 of the capacity and avg_mb_s does not. Then full_most_s is the time that all bytes of the stretch would take at 0.9 of the capacity. NULL without a capacity" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["link", "direction", "from_at"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "full_most_s"
column_B = "full_s"
or_equal = true
severity = "critical"
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
    SELECT s.link, s.direction, any_value(c.station) AS station, s.from_at, s.to_at,
           date_diff('microsecond', s.from_at, s.to_at) / 1e6 AS part_s,
           arg_min(c.avg_bytes_s, c.row_us) / 1e6 AS avg_mb_s,
           arg_min({'most': c.max_bytes_s}, c.row_us).most / 1e6 AS max_mb_s
    FROM stretch s
    JOIN clipped c ON c.link = s.link AND c.direction = s.direction AND c.hour_at = s.hour_at
        AND c.from_at <= s.from_at AND c.to_at >= s.to_at
    GROUP BY s.link, s.direction, s.from_at, s.to_at
),
with_capacity AS (
    SELECT f.*, coalesce(l.capacity_mb_s, t.capacity_bytes_s / 1e6, p.capacity_bytes_s / 1e6) AS capacity_mb_s
    FROM finest f
    LEFT JOIN silver.link_capacity p ON p.link = f.link AND p.day = CAST(f.from_at AS DATE)
    LEFT JOIN site.link l ON l.link = f.link
    LEFT JOIN silver.link_target t ON t.target = lower(f.link)
)
SELECT site_day(f.from_at, s.zone) AS day, f.link, f.station, f.direction, f.from_at,
       f.to_at, f.avg_mb_s, f.max_mb_s, f.capacity_mb_s,
       CASE WHEN f.avg_mb_s >= 0.9e0 * f.capacity_mb_s THEN f.part_s
            WHEN f.capacity_mb_s IS NOT NULL THEN 0 END AS full_s,
       CASE WHEN f.avg_mb_s >= 0.9e0 * f.capacity_mb_s THEN f.part_s
            WHEN f.max_mb_s >= 0.9e0 * f.capacity_mb_s THEN f.part_s * f.avg_mb_s / (0.9e0 * f.capacity_mb_s)
            WHEN f.capacity_mb_s IS NOT NULL THEN 0 END AS full_most_s
FROM with_capacity f CROSS JOIN site.setting s
