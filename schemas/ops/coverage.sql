/*
title = "Coverage"
grain = "one row per source, host and hour for which a log was expected or read"
why = "Shows for which hours a log is missing. Reports list these hours first. A rule gives no verdict if too many hours of its logs are missing."
features = ["I13"]

[columns]
source = { type = "VARCHAR", doc = "source (kind of log)" }
host = { type = "VARCHAR", doc = "host, drive, link or archive system whose activity the log records" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC" }
expected_s = { type = "DOUBLE", unit = "s", doc = "seconds of the hour for which site.toml expects this log; NULL if it does not expect the log in this hour" }
covered_s = { type = "DOUBLE", unit = "s", was = "seen_s", doc = "seconds of the hour that the log covers; a single reading counts as a microsecond. If site.toml expects the log for a part of the hour, only that part counts" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "covered_s"
min_value = 0
max_value = 3600
severity = "critical"
*/
WITH interval AS (
    -- a reading at one instant covers a microsecond: its hour was read
    SELECT source, host, from_at, greatest(to_at, from_at + INTERVAL 1 MICROSECOND) AS to_at, 'covered' AS what
    FROM silver.log_coverage
    UNION ALL
    SELECT coalesce(source, 'unknown'), host, from_at, to_at, 'expected' FROM site.expected
),
reached AS (
    SELECT *, max(to_at) OVER (PARTITION BY what, source, host ORDER BY from_at, to_at
                               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached_at
    FROM interval
),
apart AS (
    -- inputs may declare the same time twice, and a log may describe a host and a link of one name: time counts once
    SELECT source, host, what, greatest(from_at, coalesce(reached_at, from_at)) AS from_at, to_at
    FROM reached WHERE reached_at IS NULL OR to_at > reached_at
),
hourly AS (
    SELECT source, host, what, from_at, to_at,
           unnest(range(date_trunc('hour', from_at), to_at, INTERVAL 1 HOUR)) AS hour_at
    FROM apart
),
clipped AS (
    SELECT source, host, what, hour_at, greatest(from_at, hour_at) AS from_at,
           least(to_at, hour_at + INTERVAL 1 HOUR) AS to_at
    FROM hourly
),
expected AS (
    SELECT source, host, hour_at, sum(date_diff('microsecond', from_at, to_at)) / 1e6 AS expected_s
    FROM clipped WHERE what = 'expected' GROUP BY source, host, hour_at
),
within AS (
    SELECT s.source, s.host, s.hour_at,
           sum(CASE WHEN e.from_at IS NULL THEN date_diff('microsecond', s.from_at, s.to_at)
                    ELSE greatest(date_diff('microsecond', greatest(s.from_at, e.from_at), least(s.to_at, e.to_at)), 0)
               END) / 1e6 AS covered_s
    FROM clipped s
    LEFT JOIN clipped e ON e.what = 'expected' AND e.source = s.source AND e.host = s.host AND e.hour_at = s.hour_at
    WHERE s.what = 'covered'
    GROUP BY s.source, s.host, s.hour_at
)
SELECT coalesce(e.source, w.source) AS source, coalesce(e.host, w.host) AS host,
       coalesce(e.hour_at, w.hour_at) AS hour_at, e.expected_s, coalesce(w.covered_s, 0) AS covered_s
FROM expected e
FULL JOIN within w ON w.source = e.source AND w.host = e.host AND w.hour_at = e.hour_at
