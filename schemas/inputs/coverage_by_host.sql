/*
title = "Coverage of each log by host"
why = "Shows whether enough logs were read for a verdict. Compares the time for which site.toml expects each log with the time for which the log was read. Hours that end after the newest log file was last changed are left out."

[params.begin]
type = "TIMESTAMP"
doc = "start of the period, UTC"

[params.end]
type = "TIMESTAMP"
doc = "end of the period, exclusive, UTC"

[columns]
source = { type = "VARCHAR", doc = "source that reads this kind of log" }
speaks_for = { type = "VARCHAR", doc = "what the log describes, such as drives, requests or hosts; values as in site.source. For counters of ports that site.toml assigns to a link, it is `links`" }
host = { type = "VARCHAR", doc = "host, link or archive system whose activity the log records" }
expected_s = { type = "DOUBLE", unit = "s", doc = "seconds for which site.toml expects the log" }
covered_s = { type = "DOUBLE", unit = "s", doc = "seconds of the expected time for which a log was read" }
*/
WITH written AS (
    -- files that an archive or an image dates 1970 or 1980 do not show when they were written
    SELECT max(make_timestamp(modified_ns // 1000)) FILTER (modified_ns >= 631152000e9) AS at FROM ops.file
),
of_ports AS (
    SELECT link FROM site.link_port EXCEPT SELECT alias FROM site.station_alias
)
-- counters of hosts' ports are a log of their links, under the links' names
SELECT c.source, CASE WHEN c.host IN (SELECT link FROM of_ports) THEN 'links' ELSE k.speaks_for END AS speaks_for, c.host,
       sum(c.expected_s) AS expected_s, sum(least(c.covered_s, c.expected_s)) AS covered_s
FROM ops.coverage c CROSS JOIN written w LEFT JOIN site.source k ON k.source = c.source
WHERE c.expected_s > 0 AND c.hour_at >= $begin AND c.hour_at < $end
  AND (w.at IS NULL OR c.hour_at + INTERVAL 1 HOUR <= w.at)
GROUP BY ALL
ORDER BY c.source, c.host
