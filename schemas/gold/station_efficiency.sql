/*
title = "How well stations use their streams"
grain = "one row per station, direction and site day with at least one active half-hour"
why = "Compares the rate of a station with the rate that its streams (concurrent file transfers) could reach. Example: a single stream moves a file at 75 MB/s. If the station averages 33 MB/s over its active half-hours, no file moves for more than half of that time."
partition = "month"
features = ["M30", "M33", "M34", "M35"]

[columns]
day = { type = "DATE", doc = "site day" }
station = { type = "VARCHAR", doc = "station" }
role = { type = "VARCHAR", doc = "role of the station" }
direction = { type = "VARCHAR", doc = "in (from tape to the station, reads) or out (from the station to tape, writes)" }
n_active = { type = "BIGINT", doc = "number of active half-hours: those in which the average rate of the station's links exceeded duty_threshold_mb_s" }
long_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate of the station's links in active half-hours, including gaps between files" }
stream_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of one stream while a file moves; NULL where neither spool writes nor drive logs show it" }
stream_basis = { type = "VARCHAR", doc = "how stream_mb_s was determined. `flush`: writes to disk, as the median of mean_mb_s in gold.flush_pattern over the day's hours with bursts. `drive`: drive logs, as the median drive rate of the station's files on that day" }
n_streams = { type = "BIGINT", doc = "smallest number of streams that can reach long_mb_s: long_mb_s / stream_mb_s, rounded up. A quotient at most 0.02 above a whole number is rounded down, but not below 1. NULL without stream_mb_s" }
efficiency = { type = "DOUBLE", unit = "1", doc = "long_mb_s / (n_streams x stream_mb_s)" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "station", "direction"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "efficiency"
min_value = 0
max_value = 1.021
severity = "critical"
*/
WITH long AS (
    SELECT day, station, role, direction, n_active, active_gb * 1e3 / (n_active * 1800) AS long_mb_s
    FROM gold.duty_factor WHERE n_active > 0
),
flush AS (
    SELECT day, host AS station, 'in' AS direction, median(mean_mb_s) AS stream_mb_s
    FROM gold.flush_pattern WHERE verdict = 'burst'
    GROUP BY day, host
),
drive AS (
    SELECT site_day(t.started_at, c.zone) AS day, t.station,
           CASE t.mode WHEN 'read' THEN 'in' ELSE 'out' END AS direction,
           median(t.bytes / 1e6 / t.drive_s) AS stream_mb_s
    FROM silver.transfer t CROSS JOIN site.setting c
    WHERE t.status = 'ok' AND t.drive_s > 0 AND t.mode IN ('read', 'write')
    GROUP BY ALL
),
joined AS (
    SELECT l.*, coalesce(f.stream_mb_s, d.stream_mb_s) AS stream_mb_s,
           CASE WHEN f.stream_mb_s IS NOT NULL THEN 'flush' WHEN d.stream_mb_s IS NOT NULL THEN 'drive' END
               AS stream_basis
    FROM long l
    LEFT JOIN flush f ON f.day = l.day AND f.station = l.station AND f.direction = l.direction
    LEFT JOIN drive d ON d.day = l.day AND d.station = l.station AND d.direction = l.direction
),
judged AS (
    SELECT *, CAST(greatest(1, ceil(long_mb_s / nullif(stream_mb_s, 0) - 0.02)) AS BIGINT) AS n_needed FROM joined
)
SELECT day, station, role, direction, n_active, long_mb_s, stream_mb_s, stream_basis,
       CASE WHEN stream_mb_s > 0 THEN n_needed END AS n_streams,
       CASE WHEN stream_mb_s > 0 THEN long_mb_s / (n_needed * stream_mb_s) END AS efficiency
FROM judged
