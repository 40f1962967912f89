/*
title = "Drive-time ledger"
grain = "one row per drive, site day and bucket (kind of drive time); the buckets of a drive's day add up exactly to the length of the day"
why = "Shows how each drive spent the day. Time that no log covers is unknown, never idle."
partition = "month"
features = ["D4", "E21"]

[columns]
day = { type = "DATE", doc = "site day; a day on which clocks change has 23 or 25 hours" }
drive = { type = "VARCHAR", doc = "drive" }
bucket = { type = "VARCHAR", doc = "what the drive's time was spent on: one of the buckets in gold.drive_time_bucket" }
duration_us = { type = "BIGINT", unit = "us", doc = "time that the drive spent in the bucket that day, in microseconds" }
day_us = { type = "BIGINT", unit = "us", doc = "length of the site day, in microseconds" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "duration_us"
min_value = 0
severity = "critical"

[[checks]]
expectation = "UnexpectedRowsExpectation"
unexpected_rows_query = "SELECT day, drive FROM {batch} GROUP BY day, drive HAVING sum(duration_us) <> max(day_us)"
description = "the times of all buckets of a drive's day must add up to the length of the day"
severity = "critical"

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "drive", "bucket"]
severity = "critical"
*/
WITH covered AS (
    SELECT l.drive, l.day AS utc_day, l.from_at, l.to_at, c.zone,
           unnest(site_days(l.from_at, l.to_at, c.zone)) AS day
    FROM silver.drive_coverage l CROSS JOIN site.setting c
),
bounded AS (
    SELECT *, day_begin(day, zone) AS begin_at, day_end(day, zone) AS end_at
    FROM covered
),
clipped AS (
    SELECT day, begin_at, end_at, utc_day, drive, greatest(from_at, begin_at) AS from_at, least(to_at, end_at) AS to_at
    FROM bounded
    WHERE from_at < end_at AND to_at > begin_at
),
owned AS (
    -- a drive that no log names counts for the first system, whatever days are computed
    SELECT drive, coalesce(system, (SELECT min(system) FROM site.drive), (SELECT min(system) FROM silver.drive_coverage)) AS system,
           since_day, until_day
    FROM site.drive
),
stated AS (
    -- the UTC days an interval touches, so that it is compared with the log of those days only: coverage is cut at UTC midnight
    SELECT d.drive, d.system, d.state, d.attempt_id, d.from_at, d.to_at,
           CAST(unnest(range(CAST(d.from_at AS DATE), d.to_at, INTERVAL 1 DAY)) AS DATE) AS utc_day
    FROM silver.drive_state d JOIN owned o ON o.drive = d.drive AND o.system = d.system
),
piece AS (
    SELECT s.day, d.drive, d.state, d.attempt_id, d.from_at AS whole_from_at, d.to_at AS whole_to_at,
           greatest(d.from_at, s.from_at) AS from_at, least(d.to_at, s.to_at) AS to_at
    FROM stated d
    JOIN clipped s ON s.drive = d.drive AND s.utc_day = d.utc_day AND d.from_at < s.to_at AND d.to_at > s.from_at
),
logged_day AS (
    -- days on which a log covers any drive of the system: the others are unknown then
    SELECT DISTINCT o.system, s.day, s.begin_at, s.end_at FROM clipped s JOIN owned o ON o.drive = s.drive
),
drive_day AS (
    -- days in service, and those on which the log shows it at work anyway
    SELECT o.drive, d.day, date_diff('microsecond', d.begin_at, d.end_at) AS day_us,
           coalesce(sum(date_diff('microsecond', s.from_at, s.to_at)), 0) AS covered_us
    FROM owned o JOIN logged_day d ON d.system = o.system
    LEFT JOIN clipped s ON s.drive = o.drive AND s.day = d.day
    LEFT JOIN (SELECT DISTINCT day, drive FROM piece WHERE state NOT IN ('down', 'unknown')) w ON w.day = d.day AND w.drive = o.drive
    WHERE w.drive IS NOT NULL OR coalesce(d.day >= o.since_day, true) AND coalesce(d.day < o.until_day, true)
    GROUP BY o.drive, d.day, d.begin_at, d.end_at
),
timed AS (
    -- inside a transfer the timing line holds how long the drive waited; spread evenly over the transfer
    SELECT p.*, date_diff('microsecond', p.whole_from_at, p.whole_to_at) AS whole_us,
           date_diff('microsecond', p.whole_from_at, p.from_at) AS begin_us,
           date_diff('microsecond', p.whole_from_at, p.to_at) AS end_us,
           CAST(1e6 * coalesce(t.wait_data_s, 0) AS BIGINT) AS wait_data_us,
           CAST(1e6 * coalesce(t.wait_buffer_s, 0) AS BIGINT) AS wait_room_us,
           CAST(1e6 * coalesce(t.checksum_s, 0) AS BIGINT) AS checksum_us
    FROM piece p LEFT JOIN silver.transfer t ON t.transfer_id = CASE WHEN p.state = 'transfer' THEN p.attempt_id END
),
limited AS (
    -- one wait counts after the other: to_room holds the wait for data too, to_checksum holds both. The log's clock has
    -- whole seconds, the timing line microseconds: together they never exceed the transfer
    SELECT *, least(wait_data_us, whole_us) AS whole_to_data_us,
           least(wait_data_us + wait_room_us, whole_us) AS whole_to_room_us,
           least(wait_data_us + wait_room_us + checksum_us, whole_us) AS whole_to_checksum_us
    FROM timed
),
split AS (
    -- each piece gets its part of the transfer
    SELECT day, drive, state, end_us - begin_us AS all_us,
           CASE WHEN state = 'transfer' THEN part_of(whole_to_data_us, end_us, whole_us)
               - part_of(whole_to_data_us, begin_us, whole_us) ELSE 0 END AS to_data_us,
           CASE WHEN state = 'transfer' THEN part_of(whole_to_room_us, end_us, whole_us)
               - part_of(whole_to_room_us, begin_us, whole_us) ELSE 0 END AS to_room_us,
           CASE WHEN state = 'transfer' THEN part_of(whole_to_checksum_us, end_us, whole_us)
               - part_of(whole_to_checksum_us, begin_us, whole_us) ELSE 0 END AS to_checksum_us
    FROM limited
),
summed AS (
    -- rounding may give a piece in the middle of a transfer one microsecond less of the sum than of a part
    SELECT day, drive, state, sum(all_us) AS all_us, sum(to_data_us) AS to_data_us,
           sum(greatest(to_data_us, to_room_us)) AS to_room_us,
           sum(greatest(to_data_us, to_room_us, to_checksum_us)) AS to_checksum_us
    FROM split GROUP BY day, drive, state
),
bucketed AS (
    SELECT day, drive, state AS bucket, all_us - to_checksum_us AS duration_us FROM summed
    UNION ALL SELECT day, drive, 'wait_data', to_data_us FROM summed
    UNION ALL SELECT day, drive, 'wait_room', to_room_us - to_data_us FROM summed
    UNION ALL SELECT day, drive, 'checksum', to_checksum_us - to_room_us FROM summed
    UNION ALL
    SELECT d.day, d.drive, 'idle', d.covered_us - coalesce(p.us, 0)
    FROM drive_day d
    LEFT JOIN (SELECT day, drive, sum(all_us) AS us FROM summed GROUP BY day, drive) p
        ON p.day = d.day AND p.drive = d.drive
    UNION ALL SELECT day, drive, 'unknown', day_us - covered_us FROM drive_day
)
SELECT b.day, b.drive, b.bucket, CAST(sum(b.duration_us) AS BIGINT) AS duration_us,
       CAST(max(d.day_us) AS BIGINT) AS day_us
FROM bucketed b JOIN drive_day d ON d.day = b.day AND d.drive = b.drive
JOIN gold.drive_time_bucket t ON t.bucket = b.bucket
GROUP BY b.day, b.drive, b.bucket
HAVING sum(b.duration_us) <> 0
