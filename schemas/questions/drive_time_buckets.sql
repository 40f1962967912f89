/*
title = "Meaning of the buckets of drive time"
topic = "hours"
why = "A drive's day is divided into buckets. This explains each bucket, and shows its group, the group's colour and the order of the buckets in charts."

[columns]
number = { type = "BIGINT", doc = "position of the bucket in the order in which charts show a drive's day" }
bucket = { type = "VARCHAR", doc = "name of the bucket, as in gold.drive_ledger" }
bucket_words = { type = "VARCHAR", doc = "meaning of the bucket in words" }
time_group = { type = "VARCHAR", doc = "group to which the bucket belongs. Columns such as mounting_hours contain the hours of one group" }
group_words = { type = "VARCHAR", doc = "name of the group in words" }
colour = { type = "VARCHAR", doc = "colour of the group in charts" }
symbol = { type = "VARCHAR", doc = "character that represents the group in text bars" }
*/
SELECT number, bucket, bucket_words, time_group, group_words, colour, symbol
FROM gold.drive_time_bucket
ORDER BY number
