/*
title = "Share of each hour in which each drive worked"
topic = "hours"
why = "Shows for which share of each hour each drive was at work, for which share it moved data, and what held it back. Hours in which a drive worked for less than ten minutes have no row."
takes = ["first_day", "last_day", "station", "drive"]

[columns]
drive = { type = "VARCHAR", doc = "drive" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC" }
station = { type = "VARCHAR", doc = "station of the drive's main work in the hour. The main work is the station and mode whose transfers took the most time in total. NULL where no transfer ran in the hour, and where no log shows the station" }
mode = { type = "VARCHAR", doc = "mode of the drive's main work in the hour (defined in column station): read or write. NULL where no transfer ran in the hour" }
busy_share = { type = "DOUBLE", unit = "1", doc = "share of the hour in which the drive was at work: all time except idle, no request, occupied, down, hung and unknown" }
moving_share = { type = "DOUBLE", unit = "1", doc = "share of the hour in which data moved: the time of transfers, less the waits inside them. Checksums inside transfers count as moving data" }
lost_share = { type = "DOUBLE", unit = "1", doc = "busy_share minus moving_share: share of the hour in which the drive was at work but moved no data. This time includes gaps between files, waits, tape motion and mounting" }
verdict = { type = "VARCHAR", doc = "what held the drive back in the hour: column verdict of gold.bottleneck, which defines the values" }
*/
SELECT drive, hour_at, station, mode, busy_s / 3600 AS busy_share,
       greatest(0, transfer_s - coalesce(wait_s, 0)) / 3600 AS moving_share,
       (busy_s - greatest(0, transfer_s - coalesce(wait_s, 0))) / 3600 AS lost_share, verdict
FROM gold.bottleneck
WHERE day BETWEEN $first_day AND $last_day AND $station IN ('', station) AND $drive IN ('', drive)
ORDER BY drive, hour_at
