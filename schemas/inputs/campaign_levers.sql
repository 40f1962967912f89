/*
title = "Causes of lost time that slow campaigns down"
why = "Shows how much more data of a campaign would move per day if one cause of lost time were fixed. Each drive's gain, capped by the next bottleneck, is multiplied by the campaign's share of the drive's bytes."
takes = ["last_day"]

[params.n_days]
type = "BIGINT"
default = "28"
doc = "number of site days in the period that ends with last_day"

[columns]
campaign = { type = "VARCHAR", doc = "campaign" }
cause = { type = "VARCHAR", doc = "cause of lost time (gold.lost_time)" }
gain_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "extra data of the campaign per day if the cause were fixed. For each day it is the drive's gain × the campaign's share of the drive's bytes, summed over drives; this column has the average over the campaign's days in the period" }
*/
WITH drive_day AS (
    SELECT c.campaign, t.drive, t.day, CAST(sum(t.bytes) AS DOUBLE) AS bytes
    FROM gold.tape_traffic t
    JOIN site.campaign c ON c.mode = t.mode AND c.station IN ('', t.station)
        AND c.storage_group IN ('', t.storage_group) AND c.file_family IN ('', t.file_family)
    WHERE t.day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day
    GROUP BY c.campaign, t.drive, t.day
),
span AS (
    SELECT campaign, count(*) AS n_days FROM gold.campaign
    WHERE day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day GROUP BY campaign
)
SELECT d.campaign, l.cause,
       sum(CAST(round(l.gain_gb_day * least(1, d.bytes / (1e9 * l.moved_gb)) * 1e9) AS HUGEINT))
           / 1e9 / any_value(p.n_days) AS gain_gb_day
FROM drive_day d
JOIN site.campaign c ON c.campaign = d.campaign
JOIN gold.lost_time l ON l.drive = d.drive AND l.day = d.day AND l.mode = c.mode AND l.gain_gb_day > 0 AND l.moved_gb > 0
JOIN span p ON p.campaign = d.campaign
WHERE l.day BETWEEN greatest(c.from_day, $last_day - CAST($n_days AS INTEGER) + 1) AND $last_day
GROUP BY d.campaign, l.cause
ORDER BY d.campaign, gain_gb_day DESC, l.cause
