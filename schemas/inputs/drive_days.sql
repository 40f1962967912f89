/*
title = "Daily traffic and hours of service of each drive"
why = "Lists the data from which tapescope estimates how many drives are needed: daily traffic of each drive, hours that logs cover, and hours in which the drive was down."
takes = ["last_day"]

[params.n_days]
type = "BIGINT"
default = "28"
doc = "number of site days in the period that ends with last_day"

[columns]
generation = { type = "VARCHAR", doc = "technology of the drive; NULL where site.toml does not name it" }
drive = { type = "VARCHAR", doc = "drive" }
day = { type = "DATE", doc = "site day; only days on which logs cover the drive are listed" }
read_gb = { type = "DOUBLE", unit = "GB", doc = "data that the drive read on that day; only files that were moved completely count" }
write_gb = { type = "DOUBLE", unit = "GB", doc = "data that the drive wrote on that day; only files that were moved completely count" }
known_hours = { type = "DOUBLE", unit = "h", doc = "hours of the day for which logs cover the drive" }
down_hours = { type = "DOUBLE", unit = "h", doc = "hours of the day in which the drive was offline, in error, cleaning or hung" }
*/
WITH covered AS (
    SELECT day, drive, sum(duration_us) FILTER (bucket <> 'unknown') AS known_us,
           coalesce(sum(duration_us) FILTER (bucket IN ('down', 'hung')), 0) AS down_us
    FROM gold.drive_ledger
    WHERE day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day
    GROUP BY day, drive
),
moved AS (
    SELECT day, drive, CAST(sum(bytes) FILTER (mode = 'read') AS DOUBLE) AS read_bytes,
           CAST(sum(bytes) FILTER (mode = 'write') AS DOUBLE) AS write_bytes
    FROM gold.tape_traffic
    WHERE day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day
    GROUP BY day, drive
)
SELECT d.generation, t.drive, t.day, coalesce(m.read_bytes, 0) / 1e9 AS read_gb,
       coalesce(m.write_bytes, 0) / 1e9 AS write_gb, t.known_us / 3600e6 AS known_hours, t.down_us / 3600e6 AS down_hours
FROM covered t
LEFT JOIN moved m ON m.day = t.day AND m.drive = t.drive
LEFT JOIN site.drive d ON d.drive = t.drive
WHERE t.known_us > 0
ORDER BY d.generation, t.day, t.drive
