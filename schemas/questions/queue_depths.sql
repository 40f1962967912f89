/*
title = "Rates and files per mount by number of waiting requests"
topic = "mounts"
why = "The more requests wait at once, the more of them a single mount can serve. A site may change its limit on the number of waiting requests. To compare the old and the new limit, declare the new limit as a [[change]] in site.toml, and run `tapescope ask changes`."
takes = ["first_day", "last_day"]

[columns]
mode = { type = "VARCHAR", doc = "read or write" }
from_depth = { type = "BIGINT", doc = "lowest number of waiting requests in the class; each hour is assigned to a class by its average number of waiting requests" }
to_depth = { type = "BIGINT", doc = "number of waiting requests at which the next class starts; NULL for the last class, which has no upper limit" }
waiting_hours = { type = "BIGINT", unit = "h", doc = "number of hours whose average number of waiting requests is in the class; hours without waiting requests are left out" }
avg_depth = { type = "DOUBLE", doc = "average number of waiting requests in the hours of the class" }
max_depth = { type = "DOUBLE", doc = "largest average number of waiting requests in an hour of the class" }
rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes of files whose transfer ended in the hours of the class / total length of these hours" }
n_mounts = { type = "BIGINT", doc = "number of mounts that began in the hours of the class and in which files moved" }
files_a_mount = { type = "DOUBLE", doc = "mean number of files in the mounts counted in n_mounts; NULL if n_mounts is 0" }
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
