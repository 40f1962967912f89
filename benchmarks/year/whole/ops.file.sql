-- The logs of all days: the server's and each host's one a day, those of links one for all.
WITH day AS (
    SELECT unnest(range(getvariable('begin_day')::TIMESTAMP, getvariable('end_day')::TIMESTAMP + INTERVAL 1 DAY,
                        INTERVAL 1 DAY)) AS day
),
log AS (
    SELECT day, 'enstore_log' AS source, 'log' || strftime(day, '%Y%m%d') AS file_id,
           'enstore/DEBUGLOG-' || strftime(day, '%Y-%m-%d') AS path, getvariable('day_files') * 12 AS n_lines
    FROM day
    UNION ALL
    SELECT day, 'dcache_billing', 'billing' || strftime(day, '%Y%m%d'), 'dcache/billing-' || strftime(day, '%Y.%m.%d'),
           getvariable('day_files') * 3
    FROM day
    UNION ALL
    SELECT d.day, t.tool, t.tool || s.station || strftime(d.day, '%Y%m%d'),
           t.tool || '/' || s.station || '-' || strftime(d.day, '%Y-%m-%d') || '.log', 86400
    FROM day d CROSS JOIN plan_station s CROSS JOIN (VALUES ('vmstat'), ('iostat'), ('nicstat')) t (tool)
    UNION ALL
    SELECT getvariable('begin_day'), 'mrtg_log', 'mrtg' || station, 'mrtg/' || station || '-bond0.log', 2536 FROM plan_station
)
SELECT file_id, path, sha256(file_id) AS sha256, '{}' AS origin, source, 1 AS source_version, 'loaded' AS state,
       100 * n_lines AS size_bytes, 1000000000 * epoch(getvariable('end_day') + 2)::BIGINT AS modified_ns, 0 AS from_offset,
       100 * n_lines AS end_offset, n_lines AS end_line, sha256(file_id) AS prefix_sha256, '{}' AS carry, n_lines,
       n_lines // 5 AS n_used, n_lines - n_lines // 5 - 2 AS n_skipped, 2 AS n_rejected, n_lines // 5 AS n_records,
       day AS first_at, CASE WHEN source = 'mrtg_log' THEN getvariable('end_day') + 1 ELSE day + INTERVAL 86399 SECOND END AS last_at
FROM log
