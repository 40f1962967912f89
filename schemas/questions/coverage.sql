/*
title = "Coverage"
why = "What was seen of what should have been logged; said before any verdict."
takes = ["first_day", "last_day"]

[columns]
source = { type = "VARCHAR", doc = "source" }
host = { type = "VARCHAR", doc = "host, link or archive system" }
expected_hours = { type = "DOUBLE", unit = "h", doc = "hours for which site.toml declares a log; NULL where none is declared" }
seen_hours = { type = "DOUBLE", unit = "h", doc = "hours covered by a log: of the declared ones, or all where none is declared" }
undeclared_hours = { type = "DOUBLE", unit = "h", doc = "hours covered by a log of which site.toml declares none" }
*/
SELECT v.source, v.host, sum(v.expected_s) / 3600 AS expected_hours,
       coalesce(sum(least(v.seen_s, v.expected_s)) FILTER (v.expected_s IS NOT NULL), sum(v.seen_s)) / 3600 AS seen_hours,
       coalesce(sum(v.seen_s) FILTER (v.expected_s IS NULL), 0) / 3600 AS undeclared_hours
FROM ops.coverage v CROSS JOIN site.setting c
WHERE near_days(v.hour_at, $first_day, $last_day)
  AND in_days(v.hour_at, $first_day, $last_day, c.zone)
GROUP BY v.source, v.host
ORDER BY v.source, v.host
