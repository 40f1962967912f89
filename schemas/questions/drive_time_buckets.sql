/*
title = "The buckets of drive time"
topic = "hours"
why = "What each bucket of the ledger means, which group it belongs to, and how it is shown."

[columns]
number = { type = "BIGINT", doc = "place in a drive's day" }
bucket = { type = "VARCHAR", doc = "bucket of gold.drive_ledger" }
bucket_words = { type = "VARCHAR", doc = "the bucket in words" }
time_group = { type = "VARCHAR", doc = "its group; columns with hours of the group are named after it" }
group_words = { type = "VARCHAR", doc = "the group in words" }
colour = { type = "VARCHAR", doc = "colour of the group" }
symbol = { type = "VARCHAR", doc = "character of the group in bars of text" }
*/
SELECT number, bucket, bucket_words, time_group, group_words, colour, symbol
FROM gold.drive_time_bucket
ORDER BY number
