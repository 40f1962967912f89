/*
title = "What works well, and what does not"
topic = "hours"
why = "Shows the faults that rules found, and what was checked and found to be good. Muted findings are left out. A check counts as good if its share (column value) is high enough and its rule had enough data. The rule must also have no finding for the entity, not even a muted one."
takes = ["first_day", "last_day"]

[columns]
side = { type = "VARCHAR", doc = "pro (something that works well) or con (a finding of a fault)" }
rule = { type = "VARCHAR", doc = "for a con, the rule that fired; for a pro, the rule that was checked and did not fire" }
entity = { type = "VARCHAR", doc = "drive, station or other entity that the pro or con concerns; NULL for the entire site" }
value = { type = "DOUBLE", unit = "1", doc = "for a pro, the share on which the pro is based, such as the share of gaps that are short. For rule slow_drive: median of drive rate / native rate of the large files. NULL for a con" }
n_counted = { type = "BIGINT", doc = "for a pro, number of files, gaps, mounts, half-hours or drive-hours that were judged; for a con, number of days on which the rule fired for the entity" }
summary = { type = "VARCHAR", was = "says", doc = "pro or con as a sentence" }
*/
WITH con AS (
    SELECT rule, entity, count(DISTINCT day) AS n_days, arg_max(text, day) AS text, arg_max(state, day) = 'muted' AS is_muted,
           min(CASE severity WHEN 'critical' THEN 1 WHEN 'warning' THEN 2 ELSE 3 END) AS rank
    FROM gold.finding WHERE day BETWEEN $first_day AND $last_day
    GROUP BY rule, entity
),
fast AS (
    -- on the basis of most files
    SELECT quantile_cont(r.rate_mb_s / d.nameplate_mb_s, 0.5) AS share, count(*) AS n
    FROM gold.file_rate r JOIN site.drive d ON d.drive = r.drive AND d.nameplate_mb_s IS NOT NULL
    WHERE r.day BETWEEN $first_day AND $last_day
    GROUP BY r.drive_rate_basis ORDER BY n DESC, r.drive_rate_basis LIMIT 1
),
gap AS (
    SELECT sum(g.n_gaps) FILTER (g.avoidable_s <= c.expected_gap_s + rule_limit('long_gap', 'excess_s')) / sum(g.n_gaps) AS share, CAST(sum(g.n_gaps) AS BIGINT) AS n
    FROM gold.gap_length g CROSS JOIN site.setting c WHERE g.day BETWEEN $first_day AND $last_day
),
mount AS (
    SELECT 1 - count(*) FILTER (s.status = 'mount_failed') / count(*) AS share, count(*) AS n
    FROM silver.session s CROSS JOIN site.setting c
    WHERE near_days(s.day, $first_day, $last_day)
      AND in_days(s.from_at, $first_day, $last_day, c.zone)
      -- counters and lists of mounts show no failures
      AND coalesce(s.witnesses NOT IN ('counter', 'server'), true)
),
file AS (
    SELECT 1 - count(*) FILTER (t.status = 'failed') / count(*) AS share, count(*) AS n
    FROM silver.transfer t CROSS JOIN site.setting c
    WHERE near_days(t.day, $first_day, $last_day)
      AND in_days(t.started_at, $first_day, $last_day, c.zone)
),
read_whole AS (
    SELECT count(*) FILTER (byte_share >= 0.8 OR pattern IN ('complete', 'sequential')) / count(*) AS share, count(*) AS n
    FROM gold.mount WHERE site_day BETWEEN $first_day AND $last_day AND mode = 'read'
),
hours AS (
    SELECT 1 - coalesce(sum(duration_us) FILTER (bucket IN ('down', 'hung')), 0)
               / nullif(sum(duration_us) FILTER (bucket <> 'unknown'), 0) AS up,
           CAST(sum(duration_us) FILTER (bucket <> 'unknown') // 3600000000 AS BIGINT) AS n_known,
           1 - coalesce(sum(duration_us) FILTER (bucket = 'unknown'), 0) / sum(duration_us) AS covered,
           CAST(sum(duration_us) // 3600000000 AS BIGINT) AS n
    FROM gold.drive_ledger WHERE day BETWEEN $first_day AND $last_day
),
duty AS (
    SELECT station, sum(n_active) / sum(n_bins) AS share, CAST(sum(n_bins) AS BIGINT) AS n
    FROM gold.duty_factor
    WHERE day BETWEEN $first_day AND $last_day AND direction = 'in' AND role <> 'scanning' AND n_bins > 0
    GROUP BY station
),
-- what was judged, how good it was, what is good enough, and of how many
pro AS (
    SELECT 'slow_drive' AS rule, CAST(NULL AS VARCHAR) AS entity, share, n, 0.8 AS enough, 20 AS n_needed,
           format('Drives stream: half of the large files moved at {:.0f} % of the native rate or more.', 100 * share) AS summary
    FROM fast
    UNION ALL SELECT 'long_gap', NULL, share, n, 0.95, 20,
           format('Files follow each other quickly: {:.1f} % of the gaps are at most {:g} s longer than the expected gap.', 100 * share,
                  rule_limit('long_gap', 'excess_s'))
    FROM gap
    UNION ALL SELECT 'mount_failures', NULL, share, n, 0.99, 20, format('Mounts succeed: {:.2f} % of the mounts did not fail.', 100 * share) FROM mount
    UNION ALL SELECT 'transfer_failures', NULL, share, n, 0.999, 100,
           format('Transfers succeed: {:.2f} % of the attempts did not fail.', 100 * share) FROM file
    UNION ALL SELECT 'partial_read', NULL, share, n, 0.8, 5,
           format('Tapes are read in order: {:.0f} % of the reading mounts read most of the tape, or consecutive files.', 100 * share)
    FROM read_whole
    UNION ALL SELECT 'drive_down', NULL, up, n_known, 0.99, 24, format('Drives are available in {:.1f} % of the drive-hours that logs cover.', 100 * up)
    FROM hours
    UNION ALL SELECT 'source_silent', NULL, covered, n, 0.99, 24,
           format('Logs cover {:.1f} % of the drive-hours.', 100 * covered) FROM hours
    UNION ALL SELECT 'duty_low', station, share, n, 0.75, 48,
           format('Traffic into {} exceeds duty_threshold_mb_s in {:.0f} % of the half-hours.', station, 100 * share) FROM duty
),
listed AS (
    SELECT 'con' AS side, rule, entity, CAST(NULL AS DOUBLE) AS value, n_days AS n_counted, text AS summary, rank FROM con
    WHERE NOT is_muted
    UNION ALL
    SELECT 'pro', p.rule, p.entity, p.share, p.n, p.summary, 4
    FROM pro p
    WHERE p.share >= p.enough AND p.n >= p.n_needed
      AND NOT EXISTS (SELECT 1 FROM con c WHERE c.rule = p.rule AND (p.entity IS NULL OR c.entity = p.entity))
      AND NOT EXISTS (SELECT 1 FROM gold.suppressed_verdict w
                      WHERE w.day BETWEEN $first_day AND $last_day AND w.rule = p.rule
                        AND (p.entity IS NULL OR w.entity IS NULL OR w.entity = p.entity))
)
SELECT side, rule, entity, value, n_counted, summary FROM listed ORDER BY side DESC, rank, rule, entity NULLS FIRST
