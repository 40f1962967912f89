/*
title = "Drive-time ledger"
topic = "hours"
why = "How each drive spent each day; the buckets of a day add up to it."
takes = ["first_day", "last_day"]

[columns]
drive = { type = "VARCHAR", doc = "drive" }
day = { type = "DATE", doc = "site day" }
bucket = { type = "VARCHAR", doc = "use of the time" }
seconds = { type = "DOUBLE", unit = "s", doc = "seconds of the day" }
share = { type = "DOUBLE", unit = "1", doc = "share of the day" }
*/
SELECT drive, day, bucket, duration_us / 1e6 AS seconds, duration_us / day_us AS share
FROM gold.drive_ledger
WHERE day BETWEEN $first_day AND $last_day
ORDER BY drive, day, seconds DESC
