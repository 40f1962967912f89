/*
title = "Dead time between files"
topic = "gaps"
why = "Shows how long each drive spent between files of a mount, and on what. Unlike avoidable gaps, dead time includes file marks, checksums, tape motion and time without a request."
takes = ["first_day", "last_day", "drive"]

[columns]
drive = { type = "VARCHAR", doc = "drive" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC; NULL in the row that sums up the period" }
dead_hours = { type = "DOUBLE", unit = "h", doc = "hours that the drive spent between files of the same mount" }
share = { type = "DOUBLE", unit = "1", doc = "for a period (the row without hour_at): time between files / (time between files + time in transfers). For an hour: time between files / one hour" }
filemark_hours = { type = "DOUBLE", unit = "h", doc = "part of dead_hours spent on writing file marks" }
checksum_hours = { type = "DOUBLE", unit = "h", doc = "part of dead_hours spent on reading files back for their checksums" }
database_hours = { type = "DOUBLE", unit = "h", doc = "part of dead_hours spent on updating databases and on the last messages to the client" }
no_request_hours = { type = "DOUBLE", unit = "h", doc = "part of dead_hours in which there was no request for the drive" }
request_hours = { type = "DOUBLE", unit = "h", doc = "part of dead_hours spent on getting the next request, without the time in no_request_hours" }
position_hours = { type = "DOUBLE", unit = "h", doc = "part of dead_hours spent on tape motion to the next file" }
start_hours = { type = "DOUBLE", unit = "h", doc = "part of dead_hours spent on connecting and starting the next transfer, without tape motion" }
*/
WITH part AS (
    SELECT drive, hour_at, part, dead_s / 3600 AS part_hours
    FROM gold.dead_time WHERE day BETWEEN $first_day AND $last_day AND $drive IN ('', drive)
),
inside AS (
    -- the ledger's checksums are those in transfers and those between files: the latter are subtracted below
    SELECT drive, coalesce(sum(duration_us) FILTER (bucket <> 'checksum'), 0) / 3.6e9 AS moving_hours,
           coalesce(sum(duration_us) FILTER (bucket = 'checksum'), 0) / 3.6e9 AS checksum_hours
    FROM gold.drive_ledger
    WHERE day BETWEEN $first_day AND $last_day AND bucket IN ('transfer', 'wait_data', 'wait_room', 'checksum')
    GROUP BY drive
),
dead AS (
    SELECT drive, hour_at, sum(part_hours) AS dead_hours,
           coalesce(sum(part_hours) FILTER (part = 'filemark'), 0) AS filemark_hours,
           coalesce(sum(part_hours) FILTER (part = 'checksum'), 0) AS checksum_hours,
           coalesce(sum(part_hours) FILTER (part = 'database'), 0) AS database_hours,
           coalesce(sum(part_hours) FILTER (part = 'no_request'), 0) AS no_request_hours,
           coalesce(sum(part_hours) FILTER (part = 'request'), 0) AS request_hours,
           coalesce(sum(part_hours) FILTER (part = 'position'), 0) AS position_hours,
           coalesce(sum(part_hours) FILTER (part = 'start'), 0) AS start_hours
    FROM part GROUP BY GROUPING SETS ((drive, hour_at), (drive))
)
SELECT d.drive, d.hour_at, d.dead_hours,
       CASE WHEN d.hour_at IS NULL
            THEN d.dead_hours / nullif(d.dead_hours + coalesce(i.moving_hours + greatest(0, i.checksum_hours - d.checksum_hours), 0), 0)
            ELSE d.dead_hours END AS share,
       d.filemark_hours, d.checksum_hours, d.database_hours, d.no_request_hours, d.request_hours, d.position_hours,
       d.start_hours
FROM dead d LEFT JOIN inside i ON i.drive = d.drive
ORDER BY d.hour_at IS NOT NULL, CASE WHEN d.hour_at IS NULL THEN -d.dead_hours END, d.drive, d.hour_at
