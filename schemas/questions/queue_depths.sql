/*
title = "Effect of a deep queue"
topic = "mounts"
why = "Rates and files per mount by the number of waiting requests: the more requests wait at once, the more of a tape's files one mount can serve. Declare a new queue limit as a change, and `changes` compares."
takes = ["first_day", "last_day"]

[columns]
mode = { type = "VARCHAR", doc = "read or write" }
from_depth = { type = "BIGINT", doc = "lower end of the class: waiting requests, on average over an hour" }
to_depth = { type = "BIGINT", doc = "upper end of the class, exclusive; NULL: no upper end" }
waiting_hours = { type = "BIGINT", unit = "h", doc = "hours of the period in the class; hours without waiting requests are left out" }
avg_depth = { type = "DOUBLE", doc = "their average" }
max_depth = { type = "DOUBLE", doc = "the highest of these" }
rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "moved by files that ended in these hours / the hours" }
n_mounts = { type = "BIGINT", doc = "mounts requested in these hours, in which files moved" }
files_a_mount = { type = "DOUBLE", doc = "files they moved, on average; NULL without mounts" }
*/
WITH bound AS (
    SELECT day_begin($first_day, zone) AS begin_at, day_end($last_day, zone) AS end_at
    FROM site.setting
),
waiting AS (
    SELECT q.mode, q.queued_at, q.assigned_at, b.begin_at, b.end_at,
           unnest(range(date_trunc('hour', greatest(q.queued_at, b.begin_at)), least(q.assigned_at, b.end_at),
                        INTERVAL 1 HOUR)) AS hour_at
    FROM silver.request q CROSS JOIN bound b
    WHERE NOT q.is_of_mount AND q.assigned_at > q.queued_at AND q.queued_at < b.end_at AND q.assigned_at > b.begin_at
      AND span_near_days(q.queued_at, q.assigned_at, $first_day, $last_day)
),
depth AS (
    SELECT mode, hour_at,
           sum(date_diff('microsecond', greatest(queued_at, hour_at, begin_at),
                         least(assigned_at, hour_at + INTERVAL 1 HOUR, end_at))) / 3600e6 AS depth
    FROM waiting GROUP BY mode, hour_at
),
moved AS (
    SELECT t.mode, date_trunc('hour', t.ended_at) AS hour_at, sum(t.bytes) AS bytes
    FROM silver.transfer t CROSS JOIN bound b
    WHERE t.status = 'ok' AND t.ended_at >= b.begin_at AND t.ended_at < b.end_at
      AND near_days(t.ended_at, $first_day, $last_day)
    GROUP BY ALL
),
mount AS (
    SELECT mode, date_trunc('hour', begun_at) AS hour_at, count(*) AS n_mounts, sum(n_files) AS n_files
    FROM gold.mount WHERE site_day BETWEEN $first_day AND $last_day GROUP BY ALL
),
hourly AS (
    SELECT d.mode, d.hour_at, d.depth, coalesce(m.bytes, 0) AS bytes, coalesce(y.n_mounts, 0) AS n_mounts,
           coalesce(y.n_files, 0) AS n_files,
           CAST(list_max(list_filter([0, 1, 10, 100, 500, 1000, 2000, 5000], lambda edge: edge <= d.depth)) AS BIGINT)
               AS from_depth
    FROM depth d
    LEFT JOIN moved m ON m.mode = d.mode AND m.hour_at = d.hour_at
    LEFT JOIN mount y ON y.mode = d.mode AND y.hour_at = d.hour_at
)
SELECT mode, from_depth,
       CAST(list_min(list_filter([1, 10, 100, 500, 1000, 2000, 5000], lambda edge: edge > from_depth)) AS BIGINT)
           AS to_depth,
       count(*) AS waiting_hours, avg(depth) AS avg_depth, max(depth) AS max_depth,
       sum(bytes) / 1e6 / (3600 * count(*)) AS rate_mb_s, CAST(sum(n_mounts) AS BIGINT) AS n_mounts,
       sum(n_files) / nullif(sum(n_mounts), 0) AS files_a_mount
FROM hourly
GROUP BY mode, from_depth
ORDER BY mode, from_depth
