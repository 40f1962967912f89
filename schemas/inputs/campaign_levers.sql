/*
title = "Causes of lost time that slow campaigns down"
why = "Shows how much more data of a campaign would move on each day if one cause of lost time were fixed. The next bottleneck caps each drive's gain. If a tenth of a drive's bytes belong to the campaign, a tenth of the drive's gain counts."
takes = ["last_day"]

[params.n_days]
type = "BIGINT"
default = "28"
doc = "number of site days in the period. The period ends with last_day or, if logs of drives end earlier, with the last day that these logs cover"

[columns]
campaign = { type = "VARCHAR", doc = "campaign" }
day = { type = "DATE", doc = "site day" }
cause = { type = "VARCHAR", doc = "cause of lost time (gold.lost_time)" }
gain_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "extra data of the campaign on that day if the cause were fixed: the drive's gain × the campaign's share of the drive's bytes, summed over drives. A drive counts only if its mode of that day in gold.lost_time (read or write) is the campaign's mode" }
*/
WITH span AS (
    SELECT max(day) AS last_day, max(day) - CAST($n_days AS INTEGER) + 1 AS first_day FROM gold.campaign WHERE day <= $last_day
),
drive_day AS (
    SELECT c.campaign, t.drive, t.day, CAST(sum(t.bytes) AS DOUBLE) AS bytes
    FROM span p
    JOIN gold.tape_traffic t ON t.day BETWEEN p.first_day AND p.last_day
    JOIN site.campaign c ON c.mode = t.mode AND c.station IN ('', t.station)
        AND c.storage_group IN ('', t.storage_group) AND c.file_family IN ('', t.file_family)
    GROUP BY c.campaign, t.drive, t.day
)
SELECT d.campaign, d.day, l.cause,
       sum(CAST(round(l.gain_gb_day * least(1, d.bytes / (1e9 * l.moved_gb)) * 1e9) AS HUGEINT)) / 1e9 AS gain_gb_day
FROM drive_day d
JOIN site.campaign c ON c.campaign = d.campaign
JOIN gold.lost_time l ON l.drive = d.drive AND l.day = d.day AND l.mode = c.mode AND l.gain_gb_day > 0 AND l.moved_gb > 0
WHERE d.day >= c.from_day
GROUP BY d.campaign, d.day, l.cause
ORDER BY d.campaign, d.day, gain_gb_day DESC, l.cause
