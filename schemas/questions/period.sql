/*
title = "Days with data"
why = "Which period can be asked for, and what is normal at this site."

[columns]
first_day = { type = "DATE", doc = "first site day of the drives' ledger or of the stations' traffic; NULL if there is neither yet" }
last_day = { type = "DATE", doc = "last one of the ledger; of the traffic where there is no ledger" }
name = { type = "VARCHAR", doc = "name of the site" }
zone = { type = "VARCHAR", doc = "zone of its calendar days" }
expected_gap_s = { type = "DOUBLE", unit = "s", doc = "gap between files that is normal here" }
duty_threshold_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average above which a half-hour of a link is active" }
*/
WITH ledger AS (
    SELECT min(day) AS first_day, max(day) AS last_day FROM gold.drive_ledger
),
traffic AS (
    SELECT min(day) AS first_day, max(day) AS last_day FROM gold.duty_factor
)
SELECT least(l.first_day, t.first_day) AS first_day, coalesce(l.last_day, t.last_day) AS last_day, c.name, c.zone,
       c.expected_gap_s, c.duty_threshold_mb_s
FROM site.setting c CROSS JOIN ledger l CROSS JOIN traffic t
