/*
title = "Drive-time ledger"
topic = "hours"
why = "Shows how each drive spent each day, divided into buckets such as transfer, mount or idle. The buckets of a drive add up to the complete day."
takes = ["first_day", "last_day"]

[columns]
drive = { type = "VARCHAR", doc = "drive" }
day = { type = "DATE", doc = "site day" }
bucket = { type = "VARCHAR", doc = "what the drive did in that time: name of a bucket in gold.drive_time_bucket" }
seconds = { type = "DOUBLE", unit = "s", doc = "seconds of the day that the drive spent in the bucket" }
share = { type = "DOUBLE", unit = "1", doc = "share of the day that the drive spent in the bucket" }
*/
SELECT drive, day, bucket, duration_us / 1e6 AS seconds, duration_us / day_us AS share
FROM gold.drive_ledger
WHERE day BETWEEN $first_day AND $last_day
ORDER BY drive, day, seconds DESC
