/*
title = "Average, median, highest and last rate of storage groups"
topic = "requests"
why = "Shows four rates of each storage group that are easily confused: the average over the period, the median of hours with traffic, and the rates of the busiest hour and the last hour."
takes = ["first_day", "last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment; NULL in the row for all groups together, and where no log records the group" }
mode = { type = "VARCHAR", doc = "read or write" }
moved_tb = { type = "DOUBLE", unit = "TB", doc = "data moved in the period; only files that were moved completely count. The bytes of a file are divided evenly over the time from its first block to its last" }
average_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "moved_tb / length of the period, in MB/s" }
active_hours = { type = "BIGINT", unit = "h", doc = "number of hours in which data of the group moved" }
sustained_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median rate of the hours in which data of the group moved" }
min_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "lowest hourly rate among the hours in which data of the group moved" }
max_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest hourly rate in the period" }
last_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of the last hour of the period" }
*/
WITH bound AS (
    SELECT day_begin($first_day, zone) AS begin_at, day_end($last_day, zone) AS end_at
    FROM site.setting
),
cut AS (
    SELECT t.system, t.storage_group, t.mode, t.bytes, t.started_at, b.begin_at, b.end_at,
           file_end(t.started_at, t.ended_at) AS ended_at,
           -- full hours of the site's zone, which start on the half-hour of UTC where the zone does
           unnest(range(b.begin_at + to_hours(CAST(floor(date_diff('microsecond', b.begin_at, t.started_at) / 3600e6)
                                                   AS BIGINT)),
                        file_end(t.started_at, t.ended_at), INTERVAL 1 HOUR)) AS hour_at
    FROM silver.transfer t CROSS JOIN bound b
    -- an hour with nothing but empty files has no traffic
    WHERE t.status = 'ok' AND t.bytes > 0 AND t.ended_at >= t.started_at AND t.started_at < b.end_at
      AND file_end(t.started_at, t.ended_at) > b.begin_at
      AND span_near_days(t.started_at, t.ended_at, $first_day, $last_day)
),
part AS (
    -- whole bytes: their sum does not depend on the order in which the files come
    SELECT system, storage_group, mode, hour_at, begin_at, end_at,
           CAST(round(bytes * (date_diff('microsecond', greatest(started_at, hour_at),
                                         least(ended_at, end_at, hour_at + INTERVAL 1 HOUR))
                               / date_diff('microsecond', started_at, ended_at))) AS BIGINT) AS bytes
    FROM cut WHERE hour_at >= begin_at AND hour_at < end_at
),
hourly AS (
    SELECT system, storage_group, FALSE AS is_all, mode, hour_at, any_value(begin_at) AS begin_at,
           any_value(end_at) AS end_at, sum(bytes) AS bytes
    FROM part GROUP BY system, storage_group, mode, hour_at
    UNION ALL
    SELECT system, NULL, TRUE, mode, hour_at, any_value(begin_at), any_value(end_at), sum(bytes)
    FROM part GROUP BY system, mode, hour_at
)
SELECT system, storage_group, mode, sum(bytes) / 1e12 AS moved_tb,
       sum(bytes) / 1e6 / date_diff('second', any_value(begin_at), any_value(end_at)) AS average_mb_s,
       count(*) AS active_hours, median(bytes) / 3.6e9 AS sustained_mb_s, min(bytes) / 3.6e9 AS min_mb_s,
       max(bytes) / 3.6e9 AS max_mb_s,
       coalesce(max(bytes) FILTER (WHERE hour_at >= end_at - INTERVAL 1 HOUR), 0) / 3.6e9 AS last_mb_s
FROM hourly
GROUP BY system, storage_group, is_all, mode
ORDER BY system, mode, is_all DESC, moved_tb DESC, storage_group
