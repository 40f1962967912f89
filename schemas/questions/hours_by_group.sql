/*
title = "Where the drive-hours went, by storage group"
topic = "hours"
why = "Whose work took the drives' time, day by day, and what was left over: the rows of a day add up to all its drive-hours."
takes = ["first_day", "last_day"]

[columns]
day = { type = "DATE", doc = "site day" }
storage_group = { type = "VARCHAR", doc = "storage group; NULL for time that is nobody's" }
kind = { type = "VARCHAR", doc = "transfer, gap, position, mount, no_request; of nobody idle, down, unknown, and other: work whose group no log tells" }
drive_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours" }
share = { type = "DOUBLE", unit = "1", doc = "share of all drive-hours of the day" }
*/
WITH owned AS (
    UNPIVOT (
        SELECT day, storage_group, sum(transfer_hours) AS transfer, sum(gap_hours) AS gap, sum(position_hours) AS position,
               sum(mount_hours) AS mount, sum(no_request_hours) AS no_request
        FROM gold.family_rate
        WHERE day BETWEEN $first_day AND $last_day
        GROUP BY day, storage_group
    ) ON transfer, gap, position, mount, no_request INTO NAME kind VALUE hours
),
ledger AS (
    SELECT day, CASE WHEN bucket IN ('idle', 'down', 'unknown') THEN bucket ELSE 'other' END AS kind,
           sum(duration_us) / 3.6e9 AS hours
    FROM gold.drive_ledger
    WHERE day BETWEEN $first_day AND $last_day
    GROUP BY ALL
),
rest AS (
    SELECT l.day, l.kind, l.hours - CASE WHEN l.kind = 'other' THEN coalesce(o.hours, 0) ELSE 0 END AS hours
    FROM ledger l
    LEFT JOIN (SELECT day, sum(hours) AS hours FROM owned GROUP BY day) o ON o.day = l.day
),
together AS (
    SELECT day, storage_group, kind, hours FROM owned WHERE hours > 0
    -- hours are sums of microseconds: less than one of them is rounding
    UNION ALL SELECT day, NULL, kind, hours FROM rest WHERE abs(hours) > 1e-9
)
SELECT day, storage_group, kind, hours AS drive_hours, hours / sum(hours) OVER (PARTITION BY day) AS share
FROM together
ORDER BY day, drive_hours DESC, storage_group NULLS LAST, kind
