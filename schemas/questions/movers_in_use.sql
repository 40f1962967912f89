/*
title = "Drives in use, hour by hour"
topic = "drives"
why = "How many drives worked at once: whether there are too few, and whether a figure of more of them than there are can be true."
takes = ["first_day", "last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
hour_at = { type = "TIMESTAMP", doc = "begin of the hour, UTC" }
n_drives = { type = "BIGINT", doc = "drives of the system, declared or seen" }
avg_in_use = { type = "DOUBLE", doc = "drives in use on average over the seconds seen" }
max_in_use = { type = "BIGINT", doc = "most drives in use at one instant" }
max_transferring = { type = "BIGINT", doc = "most drives that moved data at one instant" }
is_possible = { type = "BOOLEAN", doc = "no more of them than there are" }
*/
SELECT system, hour_at, n_drives, avg_in_use, max_in_use, max_transferring, max_in_use <= n_drives AS is_possible
FROM gold.movers_in_use
WHERE day BETWEEN $first_day AND $last_day
ORDER BY system, hour_at
