/*
title = "Age of the data, and outcome of the last runs"
topic = "operations"
why = "Shows how current the numbers are: the newest log line that was read, and the last run of each step of tapescope. A run that had nothing to do is not recorded."

[columns]
kind = { type = "VARCHAR", doc = "what the row is for: all (the entire site), source (one kind of log) or step (one step of tapescope)" }
name = { type = "VARCHAR", doc = "name of the source or step. In the row with kind `all`, the step whose last run failed; without a failed step, the step that ran last" }
until_at = { type = "TIMESTAMP", doc = "newest time in the logs, UTC; NULL for steps. A time counts only if it is at most one day after the newest log file was written" }
until_day = { type = "DATE", doc = "site day of the newest time in the logs" }
ended_at = { type = "TIMESTAMP", doc = "end of the last run, UTC; NULL for sources" }
outcome = { type = "VARCHAR", doc = "done, failed, or stopped (a signal ended the run)" }
failure = { type = "VARCHAR", doc = "error of a failed run, or that a signal stopped it" }
summary = { type = "VARCHAR", was = "says", doc = "one sentence that sums up the row, with times in the site's time zone" }
*/
WITH written AS (
    SELECT max(make_timestamp(modified_ns // 1000)) FILTER (modified_ns >= 631152000e9) + INTERVAL 1 DAY AS most_at FROM ops.file
),
data AS (
    SELECT s.source, max(s.to_at) AS until_at
    FROM silver.log_coverage s CROSS JOIN written w
    WHERE w.most_at IS NULL OR s.to_at <= w.most_at
    GROUP BY ROLLUP (s.source)
    HAVING count(*) > 0
),
ran AS (
    SELECT step, started_at + to_microseconds(CAST(1e6 * elapsed_s AS BIGINT)) AS ended_at, outcome, failure
    FROM ops.run
    QUALIFY row_number() OVER (PARTITION BY step ORDER BY started_at DESC) = 1
),
-- a step whose last run failed or was stopped represents all, until it has run again
last AS (
    SELECT * FROM ran ORDER BY outcome IN ('failed', 'stopped') DESC, ended_at DESC, step LIMIT 1
),
found AS (
    SELECT 'all' AS kind, l.step AS name, d.until_at, l.ended_at, l.outcome, l.failure
    FROM (SELECT 1) LEFT JOIN last l ON true LEFT JOIN data d ON d.source IS NULL
    UNION ALL
    SELECT 'source', source, until_at, NULL, NULL, NULL FROM data WHERE source IS NOT NULL
    UNION ALL
    SELECT 'step', step, NULL, ended_at, outcome, failure FROM ran
),
local AS (
    SELECT f.*, site_time(f.until_at, c.zone) AS until_here,
           site_time(f.ended_at, c.zone) AS ended_here, c.zone
    FROM found f LEFT JOIN site.setting c ON true
)
SELECT kind, name, until_at, CAST(coalesce(until_here, until_at) AS DATE) AS until_day, ended_at, outcome, failure,
       CASE kind
       WHEN 'source' THEN name || ': data until ' || strftime(coalesce(until_here, until_at), '%Y-%m-%d %H:%M')
       WHEN 'step' THEN name || ' ended ' || strftime(coalesce(ended_here, ended_at), '%Y-%m-%d %H:%M') || ', ' || outcome
       ELSE coalesce('Data until ' || strftime(coalesce(until_here, until_at), '%Y-%m-%d %H:%M'), 'No data yet')
            || coalesce('. Last run: ' || name || ', ended ' || strftime(coalesce(ended_here, ended_at), '%Y-%m-%d %H:%M')
                        || ', ' || outcome, '. No run yet')
            || ' (' || coalesce(zone, 'UTC') || ')'
       END AS summary
FROM local
ORDER BY CASE kind WHEN 'all' THEN 1 WHEN 'source' THEN 2 ELSE 3 END, until_at DESC, ended_at DESC, name
