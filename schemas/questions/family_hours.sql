/*
title = "Rate of each file family per hour"
topic = "requests"
why = "Shows whose data the drives move, and when: the rate of each file family in each hour. The rates of all families add up to the total."
takes = ["first_day", "last_day", "group"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment; NULL where no log records it" }
file_family = { type = "VARCHAR", doc = "file family: files that share tapes, e.g. one data set; NULL where no log records it" }
mode = { type = "VARCHAR", doc = "read or write" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC; each hour is a full hour in the site's time zone" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data moved in the hour; only files that were moved completely count. The bytes of a file are divided evenly over the time from its first block to its last" }
rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "moved_gb / 3600 s" }
*/
WITH bound AS (
    SELECT day_begin($first_day, zone) AS begin_at, day_end($last_day, zone) AS end_at
    FROM site.setting
),
cut AS (
    SELECT t.system, t.storage_group, t.file_family, t.mode, t.bytes, t.started_at, b.begin_at, b.end_at,
           file_end(t.started_at, t.ended_at) AS ended_at,
           -- full hours of the site's zone, which start on the half-hour of UTC where the zone does
           unnest(range(b.begin_at + to_hours(CAST(floor(date_diff('microsecond', b.begin_at, t.started_at) / 3600e6)
                                                   AS BIGINT)),
                        file_end(t.started_at, t.ended_at), INTERVAL 1 HOUR)) AS hour_at
    FROM silver.transfer t CROSS JOIN bound b
    WHERE t.status = 'ok' AND t.ended_at >= t.started_at AND t.started_at < b.end_at
      AND file_end(t.started_at, t.ended_at) > b.begin_at
      AND span_near_days(t.started_at, t.ended_at, $first_day, $last_day)
      AND $group IN ('', t.storage_group)
)
SELECT system, storage_group, file_family, mode, hour_at, sum(part) / 1e9 AS moved_gb, sum(part) / 3.6e9 AS rate_mb_s
FROM (
    -- whole bytes: their sum does not depend on the order in which the files come
    SELECT *, CAST(round(bytes * (date_diff('microsecond', greatest(started_at, hour_at),
                                            least(ended_at, end_at, hour_at + INTERVAL 1 HOUR))
                                  / date_diff('microsecond', started_at, ended_at))) AS BIGINT) AS part
    FROM cut WHERE hour_at >= begin_at AND hour_at < end_at
)
GROUP BY system, storage_group, file_family, mode, hour_at
ORDER BY hour_at, system, mode, storage_group NULLS LAST, file_family NULLS LAST
