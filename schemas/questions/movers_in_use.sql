/*
title = "Drives in use per hour"
topic = "drives"
why = "Shows how many drives were in use at the same time, and whether the site has too few drives. The column is_possible marks hours in which logs show more drives in use than exist."
takes = ["first_day", "last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC" }
n_drives = { type = "BIGINT", doc = "number of drives of the archive system that were in service on that site day, declared in site.toml or found in logs" }
avg_in_use = { type = "DOUBLE", doc = "average number of drives in use, over the part of the hour that logs cover" }
max_in_use = { type = "BIGINT", doc = "largest number of drives in use at the same moment" }
max_transferring = { type = "BIGINT", doc = "largest number of drives inside transfers at the same moment, including drives that waited for data or for room in the buffer" }
is_possible = { type = "BOOLEAN", doc = "true where max_in_use does not exceed n_drives; false points to an error in a log or in site.toml" }
*/
SELECT system, hour_at, n_drives, avg_in_use, max_in_use, max_transferring, max_in_use <= n_drives AS is_possible
FROM gold.movers_in_use
WHERE day BETWEEN $first_day AND $last_day
ORDER BY system, hour_at
