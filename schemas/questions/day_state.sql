/*
title = "Did the rules run, and with what result?"
topic = "findings"
why = "Shows for which days the rules ran, and what they found. A day without findings counts as clean only if its logs were read and the rules ran."
takes = ["first_day", "last_day"]

[columns]
first_day = { type = "DATE", doc = "first site day of a series of consecutive days in the same state" }
last_day = { type = "DATE", doc = "last site day of the series of days in the same state" }
n_days = { type = "BIGINT", doc = "number of days in the series" }
state = { type = "VARCHAR", doc = "findings: the rules ran and fired. clean: the rules ran, no rule fired, no verdict was withheld, and a log covers at least three quarters of each day. part_covered: the rules ran and no rule fired, but a verdict was withheld or no log covers three quarters of the day. not_run: logs were read, but the rules did not run, or their verdict no longer holds (is_outdated). not_covered: no log covers the days" }
n_findings = { type = "BIGINT", doc = "number of findings, summed over the days of the series. If the rules judged several days as one period, the findings of the period count once" }
n_withheld = { type = "BIGINT", doc = "number of rules that gave no verdict for at least one day of the series, because logs were missing" }
best_hours = { type = "DOUBLE", unit = "h", doc = "hours of the day that its most complete log covers; for a series of days, the lowest such number. NULL where no log covers the days" }
sources = { type = "VARCHAR", doc = "kinds of log that cover the days, each followed by its covered hours (sum over all hosts and days); NULL where no log covers the days" }
is_outdated = { type = "BOOLEAN", doc = "true if the verdict no longer holds. Either site.toml changed after the rules ran, or more than a quarter of the hours that a kind of log covers were read after the rules ran. `tapescope detect` judges such days again" }
summary = { type = "VARCHAR", was = "says", doc = "state of the days in one sentence" }
*/
WITH day AS (
    SELECT CAST(unnest(range(CAST($first_day AS TIMESTAMP), CAST($last_day AS TIMESTAMP) + INTERVAL 1 DAY, INTERVAL 1 DAY))
                AS DATE) AS day
),
-- no log can report what happens after it was written: later hours do not count; files dated before 1990 do not show when
written AS (
    SELECT max(make_timestamp(modified_ns // 1000)) FILTER (modified_ns >= 631152000e9) + INTERVAL 1 DAY AS most_at FROM ops.file
),
log AS (
    SELECT site_day(v.hour_at, c.zone) AS day, v.source, v.host,
           sum(v.covered_s) / 3600 AS log_hours
    FROM ops.coverage v CROSS JOIN site.setting c CROSS JOIN written w
    WHERE near_days(v.hour_at, $first_day, $last_day)
      AND (v.covered_s > 0 OR v.expected_s IS NULL) AND (w.most_at IS NULL OR v.hour_at <= w.most_at)
    GROUP BY ALL
),
logged AS (
    SELECT day, max(log_hours) AS best_hours, list({'source': source, 'hours': log_hours}) AS logs FROM log GROUP BY day
),
judge AS (
    SELECT day, coalesce(first_day, day) AS first_day, n_findings, logs, settings_hash FROM ops.detection
    UNION ALL
    -- findings without a record of the run that made them
    SELECT day, day, count(DISTINCT finding_id), NULL, NULL FROM gold.finding
    WHERE day >= $first_day AND day NOT IN (SELECT day FROM ops.detection) GROUP BY day
),
-- a day may be judged alone, or as part of a longer period that ends later: its own verdict counts first
judged AS (
    SELECT d.day, j.day AS judged_day, j.n_findings
    FROM day d JOIN judge j ON d.day BETWEEN j.first_day AND j.day
    QUALIFY row_number() OVER (PARTITION BY d.day ORDER BY j.day) = 1
),
-- logs may be read after the rules ran: silence of the rules says nothing about those
late_log AS (
    SELECT DISTINCT j.day
    FROM judge j JOIN (SELECT j.day, l.source, sum(l.log_hours) AS hours
                       FROM judge j JOIN log l ON l.day BETWEEN j.first_day AND j.day GROUP BY ALL) n ON n.day = j.day
    -- the recorded hours are rounded to three digits, so that those of a second are 0
    WHERE j.logs IS NOT NULL
      AND coalesce(CAST(json_extract_string(j.logs, n.source) AS DOUBLE), 0) < round(0.75 * n.hours, 3)
),
-- a build with other settings replaces the rows that the rules judged
changed AS (
    SELECT DISTINCT j.day FROM judge j JOIN site.setting c ON j.settings_hash <> c.settings_hash
),
withheld AS (
    SELECT day, list(DISTINCT rule) AS rules FROM gold.suppressed_verdict WHERE day >= $first_day GROUP BY day
),
stated AS (
    SELECT d.day, j.judged_day, coalesce(j.n_findings, 0) AS n_findings, coalesce(w.rules, []) AS rules, s.best_hours,
           coalesce(s.logs, []) AS logs, o.day IS NOT NULL AS has_late_logs, x.day IS NOT NULL AS is_changed,
           has_late_logs OR is_changed AS is_outdated,
           CASE WHEN j.n_findings > 0 THEN 'findings'
                WHEN s.day IS NULL THEN 'not_covered'
                WHEN j.day IS NULL OR is_outdated THEN 'not_run'
                WHEN w.day IS NOT NULL OR s.best_hours < 0.75 * 24 THEN 'part_covered'
                ELSE 'clean' END AS state
    FROM day d
    LEFT JOIN logged s ON s.day = d.day
    LEFT JOIN judged j ON j.day = d.day
    LEFT JOIN withheld w ON w.day = j.judged_day
    LEFT JOIN late_log o ON o.day = j.judged_day
    LEFT JOIN changed x ON x.day = j.judged_day
),
numbered AS (
    SELECT *, date_diff('day', CAST($first_day AS DATE), day)
                  - row_number() OVER (PARTITION BY state, is_outdated ORDER BY day) AS run,
           -- findings of a period are counted once, for any number of its days
           CASE WHEN row_number() OVER (PARTITION BY judged_day ORDER BY day) = 1 THEN n_findings ELSE 0 END AS counted
    FROM stated
),
run AS (
    SELECT min(day) AS first_day, max(day) AS last_day, count(*) AS n_days, state, is_outdated, run,
           CAST(sum(counted) AS BIGINT) AS n_findings,
           CAST(len(list_distinct(flatten(list(rules)))) AS BIGINT) AS n_withheld, min(best_hours) AS best_hours,
           concat_ws(' and ', CASE WHEN bool_or(has_late_logs) THEN 'more logs were read' END,
                              CASE WHEN bool_or(is_changed) THEN 'site.toml changed' END) AS news
    FROM numbered GROUP BY state, is_outdated, run
),
read AS (
    SELECT state, is_outdated, run,
           string_agg(source || CASE WHEN source_hours > 0 AND source_hours < 0.005 THEN ' <0.01 h'
                                     ELSE printf(' %.2f h', source_hours) END, ', ' ORDER BY source) AS sources
    FROM (SELECT state, is_outdated, run, log.source, sum(log.hours) AS source_hours
          FROM (SELECT state, is_outdated, run, unnest(logs) AS log FROM numbered) GROUP BY ALL)
    GROUP BY state, is_outdated, run
),
named AS (
    SELECT r.*, s.sources,
           CASE WHEN n_days = 1 THEN strftime(first_day, '%Y-%m-%d')
                   ELSE strftime(first_day, '%Y-%m-%d') || ' to ' || strftime(last_day, '%Y-%m-%d') END AS days,
           'run `tapescope detect ' || CASE WHEN n_days = 1 THEN '--day ' || first_day
                                            ELSE '--each-day --from ' || first_day || ' --to ' || last_day END || '`' AS hint
    FROM run r LEFT JOIN read s ON s.state = r.state AND s.is_outdated = r.is_outdated AND s.run = r.run
)
SELECT first_day, last_day, n_days, state, n_findings, n_withheld, best_hours, sources, is_outdated,
       CASE state
       WHEN 'not_covered' THEN 'No log covers ' || days || ': nothing can be concluded.'
       WHEN 'not_run' THEN 'The rules have not run for ' || days || CASE WHEN is_outdated THEN ' since ' || news ELSE '' END
            || ': ' || hint || '.'
       WHEN 'part_covered' THEN 'The rules ran for ' || days || ' and found nothing, but that is no all-clear: '
            || CASE WHEN n_withheld > 0
                    THEN n_withheld || CASE WHEN n_withheld = 1 THEN ' rule' ELSE ' rules' END || ' had too few logs'
                    ELSE 'no log covers more than ' || printf('%.2f', greatest(best_hours, 0.01)) || ' h of ' || CASE WHEN n_days = 1 THEN 'the day' ELSE 'one of these days' END END
            || '. Logs read: ' || sources || '.'
       WHEN 'clean' THEN 'The rules ran for ' || days || ' and found nothing. Logs read: ' || sources || '.'
       ELSE 'The rules ran for ' || days || ': ' || n_findings
            || CASE WHEN n_findings = 1 THEN ' finding.' ELSE ' findings.' END
            || CASE WHEN is_outdated THEN ' Since then ' || news || ': ' || hint || ' again.' ELSE '' END
       END AS summary
FROM named
ORDER BY first_day
