/*
title = "Drive-hours by storage group"
topic = "hours"
why = "Shows how many drive-hours of each day each storage group used, and how the other drive-hours were spent. The rows of a day add up to all drive-hours of the day."
takes = ["first_day", "last_day"]

[columns]
day = { type = "DATE", doc = "site day" }
storage_group = { type = "VARCHAR", doc = "storage group (owner of the files, e.g. an experiment) on whose files the time was spent. NULL where no log names the group, and for time that belongs to no file (e.g. idle, down or other)" }
time_group = { type = "VARCHAR", doc = "how the time was spent: name of a group of buckets (gold.drive_time_bucket). `other` is the remaining time that logs assign to no file, such as a mount in which no file moved" }
group_number = { type = "BIGINT", doc = "position of the group in the order in which charts show a drive's day; NULL where time_group is other" }
group_words = { type = "VARCHAR", doc = "name of the group of drive time in words" }
colour = { type = "VARCHAR", doc = "colour of the group of drive time in charts; NULL where time_group is other" }
drive_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours of the day with this storage_group and this time_group" }
share = { type = "DOUBLE", unit = "1", doc = "drive_hours / all drive-hours of the day" }
*/
WITH owned AS (
    UNPIVOT (
        SELECT day, storage_group, sum(moving_data_hours) AS moving_data, sum(waiting_hours) AS waiting,
               sum(checksums_hours) AS checksums, sum(between_files_hours) AS between_files,
               sum(tape_motion_hours) AS tape_motion, sum(mounting_hours) AS mounting,
               sum(no_request_hours) AS no_request, sum(occupied_hours) AS occupied
        FROM gold.family_rate
        WHERE day BETWEEN $first_day AND $last_day
        GROUP BY day, storage_group
    ) ON moving_data, waiting, checksums, between_files, tape_motion, mounting, no_request, occupied
        INTO NAME time_group VALUE hours
),
ledger AS (
    SELECT l.day, CASE WHEN b.time_group IN ('idle', 'down', 'unknown', 'occupied') THEN b.time_group ELSE 'other' END AS time_group,
           sum(l.duration_us) / 3.6e9 AS hours
    FROM gold.drive_ledger l JOIN gold.drive_time_bucket b ON b.bucket = l.bucket
    WHERE l.day BETWEEN $first_day AND $last_day
    GROUP BY ALL
),
rest AS (
    SELECT l.day, l.time_group, l.hours - coalesce(o.hours, 0) AS hours
    FROM ledger l
    LEFT JOIN (SELECT day, CASE WHEN time_group = 'occupied' THEN time_group ELSE 'other' END AS time_group, sum(hours) AS hours
               FROM owned GROUP BY ALL) o ON o.day = l.day AND o.time_group = l.time_group
),
together AS (
    SELECT day, storage_group, time_group, hours FROM owned WHERE hours > 0
    -- hours are sums of microseconds: less than one of them is rounding
    UNION ALL SELECT day, NULL, time_group, hours FROM rest WHERE abs(hours) > 1e-9
)
SELECT t.day, t.storage_group, t.time_group, g.group_number, coalesce(g.group_words, 'other work') AS group_words,
       g.colour, t.hours AS drive_hours, t.hours / sum(t.hours) OVER (PARTITION BY t.day) AS share
FROM together t
LEFT JOIN (SELECT DISTINCT time_group, group_number, group_words, colour FROM gold.drive_time_bucket) g ON g.time_group = t.time_group
ORDER BY t.day, drive_hours DESC, t.storage_group NULLS LAST, t.time_group
