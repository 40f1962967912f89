/*
title = "Lost time and possible gain of drives, by station"
grain = "one row per drive, site day, cause, station and mode"
why = "Divides the losses in gold.lost_time among the stations whose mounts caused them, for example by scattered files, repeated mounts or slow disks."
partition = "month"
features = ["G1"]

[columns]
day = { type = "DATE", doc = "site day" }
drive = { type = "VARCHAR", doc = "drive" }
station = { type = "VARCHAR", doc = "station whose mounts caused the loss. For waits and checksums: the station of the files. For causes that are not in gold.motion_time, and for mounts without data: the station with most of the drive's bytes that day" }
mode = { type = "VARCHAR", doc = "read or write: the mode of the mounts or files that caused the loss. For causes that are not in gold.motion_time, and for mounts without data: mode as in gold.lost_time" }
cause = { type = "VARCHAR", doc = "what the drive spent the time on, as in gold.lost_time" }
duration_us = { type = "BIGINT", unit = "us", doc = "the station's share of the time that the drive spent on this cause, in microseconds" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "the station's share of the drive's recoverable hours, in proportion to the time that the station's mounts lost" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data that the drive moved for the station that day in this mode. For causes that are not divided among stations: all data of the drive" }
naive_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "the station's part of the drive's naive_gb_day: extra data per day if nothing else were a limit" }
gain_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "the station's part of the drive's gain_gb_day: extra data per day that the next bottleneck allows" }
bottleneck = { type = "VARCHAR", doc = "what would limit the drive next if the cause were fixed, as in gold.lost_time" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "drive", "cause", "station", "mode"]
severity = "critical"
*/
WITH moved AS (
    SELECT day, drive, station, mode, sum(bytes) / 1e9 AS gb FROM gold.tape_traffic GROUP BY day, drive, station, mode
),
part AS (
    SELECT m.*, l.station AS main_station, l.mode AS main_mode,
           -- by what was lost; where nothing was, by the time itself
           CASE WHEN sum(m.lost_us) OVER whole > 0 THEN m.lost_us / sum(m.lost_us) OVER whole
                ELSE m.duration_us / sum(m.duration_us) OVER whole END AS lost_share,
           m.duration_us / sum(m.duration_us) OVER whole AS time_share
    FROM gold.motion_time m
    JOIN gold.lost_time l ON l.day = m.day AND l.drive = m.drive AND l.cause = m.cause
    WHERE m.duration_us > 0
    WINDOW whole AS (PARTITION BY m.day, m.drive, m.cause)
),
shared AS (
    SELECT day, drive, cause, coalesce(station, main_station) AS station, coalesce(mode, main_mode) AS mode,
           sum(lost_share) AS lost_share, sum(time_share) AS time_share
    FROM part GROUP BY ALL
)
SELECT l.day, l.drive, coalesce(s.station, l.station) AS station, coalesce(s.mode, l.mode) AS mode, l.cause,
       CAST(round(l.duration_us * coalesce(s.time_share, 1e0)) AS BIGINT) AS duration_us,
       l.lost_hours * coalesce(s.lost_share, 1e0) AS lost_hours, CASE WHEN s.time_share IS NULL THEN l.moved_gb ELSE coalesce(m.gb, 0) END AS moved_gb,
       l.naive_gb_day * coalesce(s.lost_share, 1e0) AS naive_gb_day,
       l.gain_gb_day * coalesce(s.lost_share, 1e0) AS gain_gb_day, l.bottleneck
FROM gold.lost_time l
LEFT JOIN shared s ON s.day = l.day AND s.drive = l.drive AND s.cause = l.cause
LEFT JOIN moved m ON m.day = l.day AND m.drive = l.drive AND m.station IS NOT DISTINCT FROM coalesce(s.station, l.station)
    AND m.mode IS NOT DISTINCT FROM coalesce(s.mode, l.mode)
