/*
title = "Drives in use per hour"
topic = "drives"
why = "How many drives worked at once: whether there are too few, and whether the reported count exceeds the installed drives."
takes = ["first_day", "last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC" }
n_drives = { type = "BIGINT", doc = "drives of the system, declared or found in logs" }
avg_in_use = { type = "DOUBLE", doc = "drives in use on average over the covered seconds" }
max_in_use = { type = "BIGINT", doc = "most drives in use at one instant" }
max_transferring = { type = "BIGINT", doc = "most drives that moved data at one instant" }
is_possible = { type = "BOOLEAN", doc = "no more than there are" }
*/
SELECT system, hour_at, n_drives, avg_in_use, max_in_use, max_transferring, max_in_use <= n_drives AS is_possible
FROM gold.movers_in_use
WHERE day BETWEEN $first_day AND $last_day
ORDER BY system, hour_at
