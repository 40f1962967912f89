/*
title = "Days with data"
why = "Which period can be asked for, and what is normal at this site."

[columns]
first_day = { type = "DATE", doc = "first site day of the drives' ledger; NULL if there is none yet" }
last_day = { type = "DATE", doc = "last one" }
name = { type = "VARCHAR", doc = "name of the site" }
zone = { type = "VARCHAR", doc = "zone of its calendar days" }
expected_gap_s = { type = "DOUBLE", unit = "s", doc = "gap between files that is normal here" }
*/
SELECT min(d.day) AS first_day, max(d.day) AS last_day, any_value(c.name) AS name, any_value(c.zone) AS zone,
       any_value(c.expected_gap_s) AS expected_gap_s
FROM site.setting c LEFT JOIN gold.drive_ledger d ON TRUE
