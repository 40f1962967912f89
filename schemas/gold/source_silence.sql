/*
title = "Silent logs"
grain = "one row per source, host and interval without log lines, where site.toml expects log lines"
why = "A missing log is itself a finding, because no other number shows what happened in that time."
features = ["I13"]

[columns]
source = { type = "VARCHAR", doc = "kind of log that is missing; `unknown` where no file of the input was recognised" }
host = { type = "VARCHAR", doc = "host, link or archive system whose log is missing" }
from_at = { type = "TIMESTAMP", doc = "start of the interval without log lines" }
to_at = { type = "TIMESTAMP", doc = "end of the interval without log lines" }
silent_s = { type = "DOUBLE", unit = "s", doc = "length of the interval without log lines" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "silent_s"
min_value = 0
severity = "critical"
*/
WITH edge AS (
    -- every stretch that was covered, and the two ends of the declared period as stretches of no length
    SELECT e.source, e.host, e.from_at AS begin_at, e.to_at AS end_at, greatest(s.from_at, e.from_at) AS from_at,
           least(s.to_at, e.to_at) AS to_at
    FROM site.expected e
    JOIN silver.log_coverage s ON s.source = e.source AND s.host = e.host AND s.from_at < e.to_at AND s.to_at > e.from_at
    UNION ALL SELECT source, host, from_at, to_at, from_at, from_at FROM site.expected
    UNION ALL SELECT source, host, from_at, to_at, to_at, to_at FROM site.expected
),
reached AS (
    SELECT source, host, from_at,
           max(to_at) OVER (PARTITION BY source, host, begin_at, end_at ORDER BY from_at, to_at
                            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_at
    FROM edge
)
SELECT coalesce(source, 'unknown') AS source, host, before_at AS from_at, from_at AS to_at,
       date_diff('microsecond', before_at, from_at) / 1e6 AS silent_s
FROM reached
WHERE from_at > before_at
