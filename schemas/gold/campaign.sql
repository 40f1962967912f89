/*
title = "What each campaign moved per day"
grain = "one row per campaign and site day on which a log or counters cover at least one drive; days before the campaign have no row"
why = "Shows the daily progress of each campaign: how much data it moved, with how many drives, in how many drive-hours and at which rate. A day with logs on which no data of the campaign moved counts as zero. A day without logs is left out."
partition = "month"
features = ["M40", "S5"]

[columns]
day = { type = "DATE", doc = "site day" }
campaign = { type = "VARCHAR", doc = "campaign" }
n_files = { type = "BIGINT", doc = "number of the campaign's files whose transfer was completed that day (n_files of gold.tape_traffic)" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data of the campaign that moved to or from tape that day; only files that were moved completely count" }
n_drives = { type = "BIGINT", doc = "number of drives that moved data of the campaign that day" }
busy_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours spent on the campaign, summed over all drives. The busy_hours of each drive (gold.lost_time) count in proportion to bytes. Example: if half of a drive's bytes that day belong to the campaign, half of its hours count" }
rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "moved_gb / busy_hours, in MB/s; the hours include mounts and gaps. NULL where busy_hours is 0" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "campaign"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "moved_gb"
min_value = 0
severity = "critical"
*/
WITH known_day AS (
    SELECT DISTINCT day FROM gold.drive_ledger
),
worked AS (
    SELECT day, drive, any_value(moved_gb) AS moved_gb, any_value(busy_hours) AS busy_hours
    FROM gold.lost_time GROUP BY day, drive
),
file AS (
    SELECT c.campaign, t.day, t.drive, t.n_files, t.bytes
    FROM gold.tape_traffic t
    JOIN site.campaign c ON c.mode = t.mode AND c.station IN ('', t.station)
        AND c.storage_group IN ('', t.storage_group) AND c.file_family IN ('', t.file_family)
),
of_drive AS (
    SELECT f.campaign, f.day, f.drive, sum(f.n_files) AS n_files, CAST(sum(f.bytes) AS DOUBLE) AS bytes,
           sum(f.bytes) / 1e9 / nullif(any_value(w.moved_gb), 0) * any_value(w.busy_hours) AS busy_hours
    FROM file f LEFT JOIN worked w ON w.day = f.day AND w.drive = f.drive
    GROUP BY f.campaign, f.day, f.drive
),
of_day AS (
    -- whole microseconds: their sum does not depend on the order in which the drives come
    SELECT campaign, day, sum(n_files) AS n_files, sum(bytes) AS bytes, count(drive) AS n_drives,
           sum(CAST(round(3600e6 * busy_hours) AS BIGINT)) / 3600e6 AS busy_hours
    FROM of_drive GROUP BY campaign, day
)
SELECT t.day, c.campaign, CAST(coalesce(o.n_files, 0) AS BIGINT) AS n_files, coalesce(o.bytes, 0) / 1e9 AS moved_gb,
       coalesce(o.n_drives, 0) AS n_drives, CAST(coalesce(o.busy_hours, 0) AS DOUBLE) AS busy_hours,
       o.bytes / 1e6 / nullif(o.busy_hours * 3600, 0) AS rate_mb_s
FROM site.campaign c
JOIN known_day t ON t.day >= c.from_day
LEFT JOIN of_day o ON o.campaign = c.campaign AND o.day = t.day
