/*
title = "Buckets: the kinds of drive time"
grain = "one row per bucket (kind of drive time) of gold.drive_ledger"
why = "Defines group, order, name and colour of each bucket (kind of drive time) for the report, pages, command line and metrics."
features = ["D4", "E21"]

[columns]
number = { type = "BIGINT", doc = "place of the bucket in lists and charts: 1 for unknown time, the largest number for time in which data moved" }
bucket = { type = "VARCHAR", doc = "bucket of gold.drive_ledger; most buckets are also states in silver.drive_state" }
bucket_words = { type = "VARCHAR", doc = "name of the bucket in plain words" }
time_group = { type = "VARCHAR", doc = "group of the bucket; columns with hours are named after the group, such as moving_data_hours" }
group_number = { type = "BIGINT", doc = "place of the group in lists and charts of a drive's day" }
group_words = { type = "VARCHAR", doc = "name of the group in plain words" }
colour = { type = "VARCHAR", doc = "colour of the group, such as #0072B2; the same on light and dark backgrounds. No group is red, because red marks findings" }
symbol = { type = "VARCHAR", doc = "character for the group in bars that are drawn as text" }

[[checks]]
expectation = "ExpectColumnValuesToBeUnique"
column = "bucket"
severity = "critical"
*/
-- Tape motion is a group of its own, not part of the time between files: the drive works, and no faster metadata server or request dialogue makes it shorter. Avoidable gaps (silver.gap) leave it out for the same reason. Checksums are a group
-- of their own too: drives compute them both inside a transfer and between two, so they are neither waits nor gaps.
WITH time_group AS (
    -- Greys are time in which a drive was not used; the others are near those of Okabe and Ito, without their red, and a
    -- violet: who confuses colours can distinguish any two of them, and neighbours best (tests/test_colours.py).
    SELECT * FROM (VALUES
        (1, 'unknown', '#EEF0F3', '?'), (2, 'down', '#6B747C', 'D'), (3, 'idle', '#C6CCD2', '.'),
        (4, 'no_request', '#979FA7', 'n'), (5, 'occupied', '#6247D0', 'o'), (6, 'mounting', '#009E73', 'm'),
        (7, 'tape_motion', '#E56CC0', 't'), (8, 'between_files', '#E69F00', 'b'), (9, 'checksums', '#56B4E9', 'c'),
        (10, 'waiting', '#E6D84A', 'w'), (11, 'moving_data', '#0072B2', '█')
    ) AS g (group_number, time_group, colour, symbol)
),
bucket AS (
    SELECT * FROM (VALUES
        (1, 'unknown', 'no log covers it', 'unknown'),
        (2, 'down', 'offline, in error or cleaning', 'down'),
        (3, 'hung', 'mount hung until it was killed', 'down'),
        (4, 'idle', 'no tape mounted', 'idle'),
        (5, 'no_request', 'mounted, no work queued', 'no_request'),
        (6, 'occupied', 'tape in the drive, its work not logged', 'occupied'),
        (7, 'mount', 'mounting a tape', 'mounting'),
        (8, 'dismount', 'dismounting a tape', 'mounting'),
        (9, 'position', 'winding to a file', 'tape_motion'),
        (10, 'request', 'fetching the next request', 'between_files'),
        (11, 'database', 'updating databases', 'between_files'),
        (12, 'start', 'request to first block', 'between_files'),
        (13, 'filemark', 'writing file marks', 'between_files'),
        (14, 'checksum', 'computing checksums', 'checksums'),
        (15, 'wait_data', 'waiting for data', 'waiting'),
        (16, 'wait_room', 'waiting for room', 'waiting'),
        (17, 'drain', 'tape gone, data not yet on disk', 'waiting'),
        (18, 'transfer', 'blocks to or from tape', 'moving_data')
    ) AS b (number, bucket, bucket_words, time_group)
)
SELECT CAST(b.number AS BIGINT) AS number, b.bucket, b.bucket_words, g.time_group,
       CAST(g.group_number AS BIGINT) AS group_number, replace(g.time_group, '_', ' ') AS group_words, g.colour, g.symbol
FROM bucket b JOIN time_group g ON g.time_group = b.time_group
ORDER BY b.number
