/*
title = "From all drive-hours to those in which data moved"
topic = "hours"
why = "Each bucket takes its part of the drives' time; the rest at the end moved data."
takes = ["first_day", "last_day", "drive"]

[columns]
number = { type = "BIGINT", doc = "place in the waterfall" }
bucket = { type = "VARCHAR", doc = "bucket of gold.drive_ledger" }
bucket_words = { type = "VARCHAR", doc = "the bucket in words" }
time_group = { type = "VARCHAR", doc = "group of the bucket (gold.drive_time_bucket)" }
group_words = { type = "VARCHAR", doc = "the group in words" }
colour = { type = "VARCHAR", doc = "colour of the group" }
n_drives = { type = "BIGINT", doc = "drives with time in it" }
bucket_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours in it" }
share = { type = "DOUBLE", unit = "1", doc = "share of all drive-hours" }
from_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours left before it" }
to_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours left after it; zero for the bucket that moved data" }
*/
WITH summed AS (
    SELECT bucket, count(DISTINCT drive) AS n_drives, sum(duration_us) AS us FROM gold.drive_ledger
    WHERE day BETWEEN $first_day AND $last_day AND $drive IN ('', drive)
    GROUP BY bucket HAVING sum(duration_us) > 0
),
stepped AS (
    SELECT b.*, s.n_drives, s.us, sum(s.us) OVER () AS all_us, sum(s.us) OVER (ORDER BY b.number) AS taken_us
    FROM summed s JOIN gold.drive_time_bucket b ON b.bucket = s.bucket
)
SELECT number, bucket, bucket_words, time_group, group_words, colour, n_drives, us / 3.6e9 AS bucket_hours,
       us / all_us AS share, (all_us - taken_us + us) / 3.6e9 AS from_hours, (all_us - taken_us) / 3.6e9 AS to_hours
FROM stepped
ORDER BY number
