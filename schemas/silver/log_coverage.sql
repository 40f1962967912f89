/*
title = "Times for which logs were read"
was = "log_seen"
grain = "one row per source, host and interval without interruption; an interval over UTC midnight has a row for each day"
why = "Merges the times that the files of a log cover. A pause between lines of up to log_silence_s (in site.toml) still counts as covered. Counters of ports also cover the links of these ports."
partition = "month"
features = ["I13"]

[columns]
day = { type = "DATE", doc = "UTC day of the interval" }
source = { type = "VARCHAR", doc = "source (kind of log)" }
host = { type = "VARCHAR", doc = "host, link, drive or archive system that the log describes" }
from_at = { type = "TIMESTAMP", doc = "start" }
to_at = { type = "TIMESTAMP", doc = "end" }
speaks_for = { type = "VARCHAR", doc = "what this kind of log describes: drives, drive_states, mounts, requests, transfers, pools, hosts or links, as in site.source" }

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "to_at"
column_B = "from_at"
or_equal = true
severity = "critical"
*/
WITH covered AS (
    SELECT c.source, c.host, c.from_at, c.to_at, s.speaks_for
    FROM bronze.log_coverage c LEFT JOIN site.source s ON s.source = c.source
    UNION ALL
    SELECT tool, link, from_at, to_at, 'links' FROM silver.link_port_sample
),
reached AS (
    SELECT source, host, speaks_for, from_at, to_at,
           max(to_at) OVER (
               PARTITION BY source, host, speaks_for ORDER BY from_at, to_at
               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
           ) AS before_at
    FROM covered
),
numbered AS (
    SELECT r.*,
           sum(CASE WHEN before_at IS NULL
                      OR date_diff('microsecond', before_at, from_at) / 1e6 > s.log_silence_s THEN 1 ELSE 0 END)
               OVER (PARTITION BY source, host, speaks_for ORDER BY from_at, to_at ROWS UNBOUNDED PRECEDING) AS run
    FROM reached r CROSS JOIN site.setting s
),
run AS (
    SELECT source, host, speaks_for, min(from_at) AS from_at, max(to_at) AS to_at FROM numbered
    GROUP BY source, host, speaks_for, run
),
cut AS (
    SELECT source, host, speaks_for, from_at, to_at,
           CAST(unnest(range(CAST(from_at AS DATE), CAST(to_at AS DATE) + INTERVAL 1 DAY, INTERVAL 1 DAY)) AS DATE) AS day
    FROM run
)
SELECT day, source, host, greatest(from_at, CAST(day AS TIMESTAMP)) AS from_at,
       least(to_at, CAST(day AS TIMESTAMP) + INTERVAL 1 DAY) AS to_at, speaks_for
FROM cut
WHERE to_at > CAST(day AS TIMESTAMP) OR from_at >= CAST(day AS TIMESTAMP)
