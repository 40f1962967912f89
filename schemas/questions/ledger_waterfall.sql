/*
title = "From all drive-hours to those in which data moved"
topic = "hours"
why = "Each bucket of the ledger takes its part of the drives' time; what is left at the end moved data."
takes = ["first_day", "last_day", "drive"]

[columns]
number = { type = "BIGINT", doc = "place in the waterfall" }
bucket = { type = "VARCHAR", doc = "bucket of gold.drive_ledger" }
kind = { type = "VARCHAR", doc = "not seen, not usable, not wanted, mounts, tape motion, between files, waits, moving" }
bucket_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours in it" }
share = { type = "DOUBLE", unit = "1", doc = "share of all drive-hours" }
from_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours left before it" }
to_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours left after it; of what moved data nothing" }
*/
WITH place AS (
    SELECT * FROM (VALUES
        (1, 'unknown', 'not seen'), (2, 'down', 'not usable'), (3, 'idle', 'not wanted'), (4, 'no_request', 'not wanted'),
        (5, 'mount', 'mounts'), (6, 'dismount', 'mounts'), (7, 'position', 'tape motion'),
        (8, 'request', 'between files'), (9, 'database', 'between files'), (10, 'start', 'between files'),
        (11, 'filemark', 'between files'), (12, 'wait_data', 'waits'), (13, 'wait_room', 'waits'),
        (14, 'checksum', 'waits'), (15, 'transfer', 'moving')
    ) AS p (number, bucket, kind)
),
summed AS (
    SELECT bucket, sum(duration_us) AS us FROM gold.drive_ledger
    WHERE day BETWEEN $first_day AND $last_day AND $drive IN ('', drive)
    GROUP BY bucket HAVING sum(duration_us) > 0
),
stepped AS (
    SELECT p.number, s.bucket, p.kind, s.us, sum(s.us) OVER () AS all_us, sum(s.us) OVER (ORDER BY p.number) AS taken_us
    FROM summed s JOIN place p ON p.bucket = s.bucket
)
SELECT CAST(number AS BIGINT) AS number, bucket, kind, us / 3.6e9 AS bucket_hours, us / all_us AS share,
       (all_us - taken_us + us) / 3.6e9 AS from_hours, (all_us - taken_us) / 3.6e9 AS to_hours
FROM stepped
ORDER BY number
