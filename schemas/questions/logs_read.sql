/*
title = "Days covered by each log"
topic = "operations"
why = "Shows which days each kind of log covers. For any other day, pages show nothing from that log. Impossible dates are left out."

[columns]
source = { type = "VARCHAR", doc = "kind of log" }
n_hosts = { type = "BIGINT", doc = "number of hosts, links or archive systems that the log describes" }
n_days = { type = "BIGINT", doc = "number of site days with at least one line of the log" }
first_day = { type = "DATE", doc = "first site day with a line of the log" }
last_day = { type = "DATE", doc = "last site day with a line of the log" }
covered_hours = { type = "DOUBLE", unit = "h", doc = "hours that the log covers, summed over the hosts, links or systems that it describes" }
*/
WITH written AS (
    SELECT max(make_timestamp(modified_ns // 1000)) FILTER (modified_ns >= 631152000e9) + INTERVAL 1 DAY AS most_at
    FROM ops.file
),
hour AS (
    SELECT v.source, v.host, v.covered_s, site_day(v.hour_at, c.zone) AS day
    FROM ops.coverage v CROSS JOIN site.setting c CROSS JOIN written w
    WHERE (v.covered_s > 0 OR v.expected_s IS NULL) AND v.hour_at >= TIMESTAMP '1990-01-01'
      AND (w.most_at IS NULL OR v.hour_at <= w.most_at)
)
SELECT source, count(DISTINCT host) AS n_hosts, count(DISTINCT day) AS n_days, min(day) AS first_day,
       max(day) AS last_day, sum(covered_s) / 3600 AS covered_hours
FROM hour
GROUP BY source
ORDER BY last_day DESC, source
