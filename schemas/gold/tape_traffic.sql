/*
title = "Daily traffic of tapes"
grain = "one row per site day, drive, mount, station, storage group, file family, mode and basis of the drive rate"
why = "Data counts on the day on which it moved, even if its mount started earlier. A file that moves over midnight gives each day its share of bytes and drive time, and counts as a file on the day on which it ended."
partition = "month"

[columns]
day = { type = "DATE", doc = "site day on which the bytes moved" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive" }
session_id = { type = "VARCHAR", doc = "identifier of the mount in which the files were moved; NULL where no log shows the mount" }
station = { type = "VARCHAR", doc = "station for which the files were moved" }
storage_group = { type = "VARCHAR", doc = "storage group of the files (their owner, e.g. an experiment); NULL where no log has it" }
file_family = { type = "VARCHAR", doc = "file family of the files (those that share tapes, e.g. one data set); NULL where no log has it" }
mode = { type = "VARCHAR", doc = "read or write" }
drive_rate_basis = { type = "VARCHAR", doc = "how the drive time of the files was measured, as in silver.transfer; NULL where no log has the drive time" }
n_files = { type = "BIGINT", doc = "number of files whose transfer was completed that day. Where no log lists single files (counters, TSM sessions, CTA's final record of a mount), each row of silver.transfer counts as one file" }
bytes = { type = "BIGINT", unit = "bytes", doc = "bytes moved that day; only files that were moved completely count. A file's bytes are spread evenly from its first to its last block" }
timed_bytes = { type = "BIGINT", unit = "bytes", doc = "part of bytes that belongs to files with known drive time" }
drive_us = { type = "BIGINT", unit = "us", doc = "drive time of the files that timed_bytes counts, in microseconds; the drive time of a file over midnight is divided like its bytes" }
is_listed = { type = "BOOLEAN", doc = "true if Enstore's accounting of transfers lists at least one of the files that the row sums up" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "bytes"
min_value = 0
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "bytes"
column_B = "timed_bytes"
or_equal = true
severity = "critical"
*/
WITH file AS (
    SELECT t.*, c.zone, file_end(t.started_at, t.ended_at) AS end_at,
           CASE WHEN t.drive_s > 0 THEN CAST(1e6 * t.drive_s AS BIGINT) END AS drive_us
    FROM silver.transfer t CROSS JOIN site.setting c
    WHERE t.status = 'ok'
),
dated AS (
    SELECT *, site_day(started_at, zone) AS from_day,
           site_day(end_at - INTERVAL 1 MICROSECOND, zone) AS last_day
    FROM file
),
cut AS (
    SELECT *, CAST(unnest(range(CAST(from_day AS TIMESTAMP), CAST(last_day + 1 AS TIMESTAMP), INTERVAL 1 DAY)) AS DATE)
               AS on_day
    FROM dated
),
bounded AS (
    SELECT *, date_diff('microsecond', started_at, end_at) AS whole_us,
           CASE WHEN on_day = from_day THEN 0
                ELSE date_diff('microsecond', started_at, day_begin(on_day, zone)) END
               AS x_us,
           CASE WHEN on_day = last_day THEN date_diff('microsecond', started_at, end_at)
                ELSE date_diff('microsecond', started_at,
                               day_end(on_day, zone)) END AS y_us
    FROM cut
),
part AS (
    -- whole bytes and microseconds: the parts of a file add up to it, and sums do not depend on the order
    SELECT * EXCLUDE (bytes, drive_us), on_day = last_day AS has_ended,
           part_of(bytes, y_us, whole_us) - part_of(bytes, x_us, whole_us) AS bytes,
           part_of(drive_us, y_us, whole_us) - part_of(drive_us, x_us, whole_us) AS drive_us
    FROM bounded
)
SELECT on_day AS day, system, drive, session_id, station, storage_group, file_family, mode, drive_rate_basis,
       count(*) FILTER (has_ended) AS n_files, CAST(coalesce(sum(bytes), 0) AS BIGINT) AS bytes,
       CAST(coalesce(sum(bytes) FILTER (drive_us IS NOT NULL), 0) AS BIGINT) AS timed_bytes,
       CAST(sum(drive_us) AS BIGINT) AS drive_us, coalesce(bool_or(witnesses LIKE '%table%'), FALSE) AS is_listed
FROM part
GROUP BY on_day, system, drive, session_id, station, storage_group, file_family, mode, drive_rate_basis
