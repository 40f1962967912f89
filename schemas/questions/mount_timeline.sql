/*
title = "What a drive did during a mount"
topic = "mounts"
why = "Shows what the drive did in each interval from the mount request to the end of the dismount."
takes = ["session"]

[params.n]
type = "BIGINT"
default = "3000"
doc = "maximum number of intervals; the longest ones are kept"

[columns]
drive = { type = "VARCHAR", doc = "drive" }
number = { type = "BIGINT", doc = "place of the state in lists and charts, as in gold.drive_time_bucket" }
state = { type = "VARCHAR", doc = "what the drive did: a bucket of gold.drive_ledger; waits and checksums inside a transfer belong to the state `transfer`" }
state_words = { type = "VARCHAR", doc = "meaning of the state in words" }
colour = { type = "VARCHAR", doc = "colour of the state in figures" }
from_at = { type = "TIMESTAMP", doc = "start of the interval, UTC" }
to_at = { type = "TIMESTAMP", doc = "end of the interval, UTC" }
interval_s = { type = "DOUBLE", unit = "s", doc = "length of the interval" }
*/
WITH mount AS (
    SELECT drive, min(day) - 1 AS first_day, max(day) + 1 AS last_day
    FROM silver.session WHERE session_id = $session GROUP BY drive
),
longest AS (
    SELECT d.drive, d.state, d.from_at, d.to_at, date_diff('microsecond', d.from_at, d.to_at) / 1e6 AS interval_s
    FROM silver.drive_state d JOIN mount m ON m.drive = d.drive AND d.day BETWEEN m.first_day AND m.last_day
    WHERE d.session_id = $session AND d.to_at > d.from_at
    ORDER BY interval_s DESC, d.from_at
    LIMIT $n
)
SELECT l.drive, b.number, l.state, CASE l.state WHEN 'transfer' THEN 'in a transfer' ELSE b.bucket_words END AS state_words,
       b.colour, l.from_at, l.to_at, l.interval_s
FROM longest l JOIN gold.drive_time_bucket b ON b.bucket = l.state
ORDER BY l.from_at, l.to_at
