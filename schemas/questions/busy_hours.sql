/*
title = "Hours of drives at work"
topic = "hours"
why = "When each drive worked, when it moved data, and what held it back, per drive and hour."
takes = ["first_day", "last_day", "station", "drive"]

[columns]
drive = { type = "VARCHAR", doc = "drive" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC" }
station = { type = "VARCHAR", doc = "station of most of its transfer time; NULL where it moved no file" }
mode = { type = "VARCHAR", doc = "read or write, of most of that time" }
busy_share = { type = "DOUBLE", unit = "1", doc = "share of the hour at work: a tape in the drive or on its way, with a request for it" }
moving_share = { type = "DOUBLE", unit = "1", doc = "share of the hour in which data moved: in files, without waits" }
lost_share = { type = "DOUBLE", unit = "1", doc = "the difference: gaps, waits, tape motion, mounts" }
verdict = { type = "VARCHAR", doc = "what held the drive back (gold.bottleneck)" }
*/
SELECT drive, hour_at, station, mode, busy_s / 3600 AS busy_share,
       greatest(0, transfer_s - coalesce(wait_s, 0)) / 3600 AS moving_share,
       (busy_s - greatest(0, transfer_s - coalesce(wait_s, 0))) / 3600 AS lost_share, verdict
FROM gold.bottleneck
WHERE day BETWEEN $first_day AND $last_day AND $station IN ('', station) AND $drive IN ('', drive)
ORDER BY drive, hour_at
