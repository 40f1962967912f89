/*
title = "Data moved by the drives of each robot"
topic = "mounts"
why = "Shows how the work of a day or a longer period is divided among robots. Reads and writes have separate rows, because their rates cannot be compared. A further row for each robot has reads and writes together."
takes = ["first_day", "last_day"]

[columns]
mode = { type = "VARCHAR", doc = "read or write; NULL in the row for reads and writes together" }
robot = { type = "VARCHAR", doc = "robot that serves the drives; NULL for drives to which site.toml assigns no robot" }
n_drives = { type = "BIGINT", doc = "number of the robot's drives that moved at least one file completely" }
n_tapes = { type = "BIGINT", doc = "number of tapes to or from which these drives moved at least one file completely" }
n_files = { type = "BIGINT", doc = "number of files whose transfer was completed in the period" }
moved_tb = { type = "DOUBLE", unit = "TB", doc = "data moved in the period; only files that were moved completely count. The bytes of a file are divided evenly over the time from its first block to its last" }
share = { type = "DOUBLE", unit = "1", doc = "moved_tb of this robot / sum of moved_tb over all rows with the same mode" }
average_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "moved_tb / length of the period, in MB/s" }
max_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest average rate of an hour in the period" }
last_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate in the last hour of the period" }
*/
WITH bound AS (
    SELECT day_begin($first_day, zone) AS begin_at, day_end($last_day, zone) AS end_at
    FROM site.setting
),
file AS (
    SELECT d.robot, unnest([t.mode, NULL]) AS mode, t.system, t.drive, t.volume, t.bytes, t.started_at,
           file_end(t.started_at, t.ended_at) AS ended_at, b.begin_at, b.end_at
    FROM silver.transfer t CROSS JOIN bound b LEFT JOIN site.drive d ON d.drive = t.drive
    WHERE t.status = 'ok' AND t.ended_at >= t.started_at AND t.started_at < b.end_at
      AND file_end(t.started_at, t.ended_at) > b.begin_at
      AND span_near_days(t.started_at, t.ended_at, $first_day, $last_day)
),
cut AS (
    SELECT *, unnest(range(begin_at + to_hours(CAST(floor(date_diff('microsecond', begin_at, started_at) / 3600e6)
                                                    AS BIGINT)),
                           ended_at, INTERVAL 1 HOUR)) AS hour_at
    FROM file
),
hourly AS (
    -- whole bytes: their sum does not depend on the order in which the files come
    SELECT mode, robot, hour_at, any_value(begin_at) AS begin_at, any_value(end_at) AS end_at,
           sum(CAST(round(bytes * (date_diff('microsecond', greatest(started_at, hour_at),
                                             least(ended_at, end_at, hour_at + INTERVAL 1 HOUR))
                                   / date_diff('microsecond', started_at, ended_at))) AS BIGINT)) AS bytes
    FROM cut WHERE hour_at >= begin_at AND hour_at < end_at
    GROUP BY mode, robot, hour_at
),
moved AS (
    SELECT mode, robot, sum(bytes) AS bytes, max(bytes) AS most,
           coalesce(max(bytes) FILTER (hour_at >= end_at - INTERVAL 1 HOUR), 0) AS last,
           date_diff('second', any_value(begin_at), any_value(end_at)) AS period_s
    FROM hourly GROUP BY mode, robot
),
counted AS (
    SELECT mode, robot, count(DISTINCT drive) AS n_drives, count(DISTINCT (system, volume)) FILTER (volume IS NOT NULL) AS n_tapes,
           count(*) FILTER (ended_at <= end_at) AS n_files
    FROM file GROUP BY mode, robot
)
SELECT m.mode, m.robot, c.n_drives, c.n_tapes, c.n_files, m.bytes / 1e12 AS moved_tb,
       m.bytes / sum(m.bytes) OVER (PARTITION BY m.mode) AS share, m.bytes / 1e6 / m.period_s AS average_mb_s,
       m.most / 3.6e9 AS max_mb_s, m.last / 3.6e9 AS last_mb_s
FROM moved m
JOIN counted c ON c.mode IS NOT DISTINCT FROM m.mode AND c.robot IS NOT DISTINCT FROM m.robot
ORDER BY m.mode NULLS LAST, moved_tb DESC, m.robot
