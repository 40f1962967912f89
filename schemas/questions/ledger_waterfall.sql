/*
title = "From all drive-hours to hours in which data moved"
topic = "hours"
why = "Starts from all drive-hours and subtracts the hours of each bucket of drive time, such as idle or mount. What remains at the end is the time in which data moved."
takes = ["first_day", "last_day", "drive"]

[columns]
number = { type = "BIGINT", doc = "position of the bucket in the order of subtraction" }
bucket = { type = "VARCHAR", doc = "name of the bucket, as in gold.drive_ledger" }
bucket_words = { type = "VARCHAR", doc = "meaning of the bucket in words" }
time_group = { type = "VARCHAR", doc = "group of drive time to which the bucket belongs (gold.drive_time_bucket)" }
group_words = { type = "VARCHAR", doc = "name of the group in words" }
colour = { type = "VARCHAR", doc = "colour of the group in charts" }
n_drives = { type = "BIGINT", doc = "number of drives that spent time in the bucket" }
bucket_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours spent in the bucket" }
share = { type = "DOUBLE", unit = "1", doc = "drive-hours in the bucket / all drive-hours" }
from_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours that remain before the bucket is subtracted" }
to_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours that remain after the bucket is subtracted; 0 for the last bucket" }
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
