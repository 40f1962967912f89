/*
title = "Outages of drives"
why = "Lists outages of drives for the simulation that replays recorded work. In the replay, a drive is down at the times at which it was down according to the logs."
takes = ["last_day"]

[params.n_days]
type = "BIGINT"
default = "7"
doc = "number of site days in the period that ends with last_day"

[columns]
kind = { type = "VARCHAR", doc = "technology of the drive; the drive's own name where site.toml does not name the technology" }
drive = { type = "VARCHAR", doc = "drive" }
from_at = { type = "TIMESTAMP", doc = "start of the outage, or start of the site day if the outage began earlier" }
to_at = { type = "TIMESTAMP", doc = "end of the outage, or end of the site day if the outage continued" }
*/
SELECT coalesce(d.generation, o.drive) AS kind, o.drive, o.from_at, o.to_at
FROM gold.drive_outage o LEFT JOIN site.drive d ON d.drive = o.drive
WHERE o.day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day
ORDER BY o.from_at, o.drive
