/*
title = "Daily progress of campaigns"
why = "Lists for each campaign the data moved per day, the data moved so far and the data still to be moved, to estimate when the campaign ends."
takes = ["last_day"]

[columns]
campaign = { type = "VARCHAR", doc = "campaign" }
day = { type = "DATE", doc = "site day" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data of the campaign that drives moved on that day; only files that were moved completely count" }
n_drives = { type = "BIGINT", doc = "number of drives that moved data of the campaign on that day" }
busy_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours spent on the campaign that day, summed over all drives. If half of a drive's bytes that day belong to the campaign, half of the drive's busy_hours in gold.lost_time count" }
rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "moved_gb / busy_hours, in MB/s" }
covered_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours that logs cover that day, summed over all drives" }
done_gb = { type = "DOUBLE", unit = "GB", doc = "data of the campaign moved from its start to the end of that day, as far as logs show" }
left_gb = { type = "DOUBLE", unit = "GB", doc = "part of the campaign's size that is still to be moved, at least 0" }
n_days_lacking = { type = "BIGINT", doc = "number of days without a log of drives, from the campaign's start to this day; done_gb does not include data moved on these days" }
*/
WITH covered AS (
    SELECT day, coalesce(sum(duration_us) FILTER (bucket <> 'unknown'), 0) / 3600e6 AS covered_hours FROM gold.drive_ledger
    GROUP BY day
),
summed AS (
    SELECT *, sum(CAST(round(1e9 * moved_gb) AS HUGEINT)) OVER so_far / 1e9 AS done_gb, count(*) OVER so_far AS n_logged
    FROM gold.campaign
    WINDOW so_far AS (PARTITION BY campaign ORDER BY day)
)
SELECT s.campaign, s.day, s.moved_gb, s.n_drives, s.busy_hours, s.rate_mb_s, coalesce(h.covered_hours, 0) AS covered_hours, CAST(s.done_gb AS DOUBLE) AS done_gb,
       CAST(greatest(c.size_tb * 1e3 - s.done_gb, 0) AS DOUBLE) AS left_gb,
       date_diff('day', c.from_day, s.day) + 1 - s.n_logged AS n_days_lacking
FROM summed s JOIN site.campaign c ON c.campaign = s.campaign
LEFT JOIN covered h ON h.day = s.day
WHERE s.day <= $last_day
ORDER BY s.campaign, s.day
