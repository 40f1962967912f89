/*
title = "Where the drive-hours went"
topic = "hours"
why = "All drives together: the waterfall from 24 hours a drive to the time data moved."
takes = ["first_day", "last_day"]

[columns]
bucket = { type = "VARCHAR", doc = "what the time went on" }
bucket_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours" }
share = { type = "DOUBLE", unit = "1", doc = "share of all drive-hours" }
n_drives = { type = "BIGINT", doc = "drives that spent time on it" }
*/
SELECT bucket, sum(duration_us) / 3.6e9 AS bucket_hours,
       sum(duration_us) / sum(sum(duration_us)) OVER () AS share, count(DISTINCT drive) AS n_drives
FROM gold.drive_ledger
WHERE day BETWEEN $first_day AND $last_day
GROUP BY bucket
ORDER BY bucket_hours DESC, bucket
