/*
title = "Coverage"
topic = "operations"
was = ["coverage_by_source"]
why = "site.toml declares for which times each log is expected. This shows how much of that time each kind of log covers, in total and per host. Reports show this coverage before any verdict."
takes = ["first_day", "last_day"]

[columns]
level = { type = "VARCHAR", doc = "what the row is for. source: one kind of log, all hosts together. host: one kind of log and one host" }
source = { type = "VARCHAR", doc = "source (kind of log)" }
host = { type = "VARCHAR", doc = "host, link or archive system that the log describes; NULL in a row for all hosts together" }
n_hosts = { type = "BIGINT", doc = "number of hosts, links or archive systems for which a log is declared or was read" }
n_short = { type = "BIGINT", doc = "number of hosts, links or archive systems whose log does not cover all of the declared time" }
expected_hours = { type = "DOUBLE", unit = "h", doc = "hours for which site.toml declares this log, summed over the hosts of the row; NULL where site.toml does not declare this log" }
covered_hours = { type = "DOUBLE", unit = "h", doc = "hours that the log covers. Where site.toml declares the log, only declared hours count" }
undeclared_hours = { type = "DOUBLE", unit = "h", doc = "hours that the log covers although site.toml does not declare it for these hours" }
missing_hours = { type = "DOUBLE", unit = "h", doc = "declared hours that the log does not cover; NULL where site.toml does not declare this log" }
share = { type = "DOUBLE", unit = "1", doc = "share of the declared hours that the log covers; NULL where site.toml does not declare this log" }
*/
WITH per_host AS (
    SELECT v.source, v.host, sum(v.expected_s) AS expected_s,
           sum(least(v.covered_s, v.expected_s)) FILTER (v.expected_s IS NOT NULL) AS covered_s,
           sum(v.covered_s) FILTER (v.expected_s IS NULL) AS undeclared_s,
           sum(greatest(v.expected_s - v.covered_s, 0)) AS missing_s
    FROM ops.coverage v CROSS JOIN site.setting c
    WHERE near_days(v.hour_at, $first_day, $last_day) AND in_days(v.hour_at, $first_day, $last_day, c.zone)
    GROUP BY v.source, v.host
)
SELECT CASE WHEN grouping(host) = 1 THEN 'source' ELSE 'host' END AS level, source, host,
       count(*) AS n_hosts, count(*) FILTER (WHERE missing_s > 0) AS n_short,
       sum(expected_s) / 3600 AS expected_hours, coalesce(sum(covered_s), sum(undeclared_s)) / 3600 AS covered_hours,
       coalesce(sum(undeclared_s), 0) / 3600 AS undeclared_hours,
       sum(missing_s) / 3600 AS missing_hours, 1 - sum(missing_s) / nullif(sum(expected_s), 0) AS share
FROM per_host
GROUP BY GROUPING SETS ((source), (source, host))
ORDER BY source, level DESC, host
