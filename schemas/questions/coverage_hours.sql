/*
title = "How much of each hour the logs cover"
topic = "operations"
why = "site.toml declares for which times each log is expected. This shows how much of this time each kind of log covers in each hour. Where a log is missing, every number computed from that log is incomplete."
takes = ["first_day", "last_day"]

[columns]
source = { type = "VARCHAR", doc = "kind of log" }
host = { type = "VARCHAR", doc = "host, link or archive system that the log describes" }
from_at = { type = "TIMESTAMP", doc = "start of the hour, UTC; for periods of more than 22 days, start of the site day" }
expected_s = { type = "DOUBLE", unit = "s", doc = "time in the hour (or day) for which site.toml declares the log; NULL where site.toml does not declare this log" }
covered_s = { type = "DOUBLE", unit = "s", doc = "time in the hour (or day) that the log covers. Where site.toml declares the log for a part of an hour, only that part counts" }
covered_share = { type = "DOUBLE", unit = "1", doc = "share of expected_s that the log covers; NULL where site.toml does not declare this log" }
*/
WITH hour AS (
    SELECT o.source, o.host, o.expected_s, o.covered_s,
           CASE WHEN date_diff('day', CAST($first_day AS DATE), CAST($last_day AS DATE)) > 21
                THEN day_begin(site_day(o.hour_at, c.zone), c.zone) ELSE o.hour_at END AS from_at
    FROM ops.coverage o CROSS JOIN site.setting c
    WHERE near_days(o.hour_at, $first_day, $last_day)
      AND in_days(o.hour_at, $first_day, $last_day, c.zone)
)
SELECT source, host, from_at, sum(expected_s) AS expected_s, sum(covered_s) AS covered_s,
       -- undeclared hours do not make up for missing ones
       CASE WHEN sum(expected_s) > 0 THEN sum(least(covered_s, expected_s)) / sum(expected_s) END AS covered_share
FROM hour
GROUP BY source, host, from_at
HAVING sum(expected_s) > 0 OR sum(covered_s) > 0
ORDER BY source, host, from_at
