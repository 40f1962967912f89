/*
title = "Impossible values in logs"
why = "Lists impossible values and values that contradict another log, by kind of comparison and entity. The rows fill gold.contradiction. If no values of a kind could be compared, its row gives the reason."

[params.begin]
type = "TIMESTAMP"
doc = "start of the period, UTC"

[params.end]
type = "TIMESTAMP"
doc = "end of the period, exclusive, UTC"

[columns]
kind = { type = "VARCHAR", doc = "kind of comparison, as in gold.contradiction" }
entity = { type = "VARCHAR", doc = "what the value belongs to: station/direction, drive, link/direction, host or host/disk; NULL where nothing could be compared" }
n = { type = "BIGINT", doc = "number of impossible values" }
n_compared = { type = "BIGINT", doc = "number of values of this kind that were compared, over all entities" }
reported = { type = "DOUBLE", doc = "worst impossible value: the one whose difference from its bound is largest in proportion to the bound" }
bound = { type = "DOUBLE", doc = "highest or lowest possible value. For rate_above_drive: the drive's native rate; rates up to three times as high are possible" }
what = { type = "VARCHAR", doc = "name of the value, with its unit" }
why = { type = "VARCHAR", doc = "reason why the value is impossible" }
hint = { type = "VARCHAR", doc = "likely cause; NULL where nothing points to one" }
from_at = { type = "TIMESTAMP", doc = "start of the interval to which the first impossible value belongs" }
to_at = { type = "TIMESTAMP", doc = "end of the interval to which the last impossible value belongs" }
reason_missing = { type = "VARCHAR", doc = "logs or values that were missing for the comparison; NULL where values were compared" }
file_id = { type = "VARCHAR", doc = "log file with the worst value; NULL where the value was computed from many lines of an hour" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }
*/
WITH kind AS (
    SELECT * FROM (VALUES
        ('link_below_tape', 'GB that drives moved over the links in half an hour',
         '{:.3g}, but the links carried at most {:.3g} GB',
         'half-hour with both traffic of a station''s links and transfers over these links'),
        ('rate_above_drive', 'MB/s of a large file',
         '{:.3g}, but at most three times the drive''s native rate of {:.3g} MB/s is possible',
         'transfers of large files in drives whose native rate is known'),
        ('load_above_link', 'MB/s of a link in an hour',
         '{:.3g}, but the link carries at most {:.3g} MB/s',
         'traffic of links whose capacity is known'),
        ('processors_above_one', 'sum of the shares of processor time',
         '{:.3g}, but these shares add up to at most {:.3g}', 'samples of processors'),
        ('disk_above_one', 'busy share of a disk',
         '{:.3g}, but a share is at most {:.3g}', 'samples of disks with their busy share'),
        ('file_above_moved', 'bytes of a user''s file',
         '{:.3g}, but only {:.3g} bytes were moved for it', 'transfers with the size of the user''s file'),
        ('files_without_line', 'files of a mount, according to its final record',
         '{:.0f}, but only {:.0f} lines about its files are in the log, so the bytes and files counted for this mount are too low',
         'mounts of CTA with a final record and lines about their files'),
        ('negative_gap', 'seconds of a gap between files', '{:.3g} is negative', 'two files in one mount'),
        ('test_in_memory', 'bytes of a timed test',
         'a working set of {:.3g} bytes fits in the memory of {:.3g} bytes, so the test measured the cache',
         'timed tests with a known end, on hosts whose memory_gb a fact of site.toml gives')
    ) AS k(kind, what, why, needs)
),
compared AS (
    -- 5 %: clocks and poll times are off by this much
    SELECT 'link_below_tape' AS kind, concat_ws('/', station, direction) AS entity, tape_gb AS reported,
           counted_gb AS bound, tape_gb > counted_gb * 1.05e0 AS is_impossible, bin_at AS from_at,
           bin_at + INTERVAL 30 MINUTE AS to_at, file_id, line_no
    FROM gold.link_reconciliation WHERE tape_gb IS NOT NULL AND bin_at >= $begin AND bin_at < $end
    UNION ALL
    -- no data compress to a third in a drive's stream
    SELECT 'rate_above_drive', r.drive, r.rate_mb_s, d.nameplate_mb_s, r.rate_mb_s > d.nameplate_mb_s * 3e0,
           r.started_at, r.ended_at, r.file_id, r.line_no
    FROM gold.file_rate r JOIN site.drive d ON d.drive = r.drive AND d.nameplate_mb_s IS NOT NULL
    WHERE r.started_at >= $begin AND r.started_at < $end
    UNION ALL
    SELECT 'load_above_link', concat_ws('/', link, direction), avg_mb_s, capacity_mb_s, avg_mb_s > capacity_mb_s * 1.02e0,
           hour_at, hour_at + INTERVAL 1 HOUR, NULL, NULL
    FROM gold.link_load WHERE capacity_mb_s IS NOT NULL AND hour_at >= $begin AND hour_at < $end
    UNION ALL
    SELECT 'processors_above_one', host, cpu_user + cpu_system + cpu_idle + coalesce(cpu_wait, 0), 1,
           cpu_user + cpu_system + cpu_idle + coalesce(cpu_wait, 0) > 1.05e0, from_at, to_at, file_id, line_no
    FROM silver.host_sample WHERE from_at >= $begin AND from_at < $end
    UNION ALL
    SELECT 'disk_above_one', concat_ws('/', host, device), busy, 1, busy > 1.05e0, from_at, to_at, file_id, line_no
    FROM silver.device_sample WHERE busy IS NOT NULL AND from_at >= $begin AND from_at < $end
    UNION ALL
    SELECT 'file_above_moved', drive, file_bytes, bytes, file_bytes > bytes, started_at, ended_at, file_id, line_no
    FROM silver.transfer WHERE status = 'ok' AND bytes > 0 AND started_at >= $begin AND started_at < $end
    UNION ALL
    SELECT 'files_without_line', drive, n_recorded_files, n_file_lines, n_recorded_files > n_file_lines, from_at, to_at, file_id,
           line_no
    FROM silver.cta_mount WHERE n_recorded_files IS NOT NULL AND n_file_lines > 0 AND to_at >= $begin AND to_at < $end
    UNION ALL
    SELECT 'negative_gap', drive, gap_s, 0, gap_s < 0, started_at, ended_at, previous_file_id, previous_line_no
    FROM silver.gap WHERE started_at >= $begin AND started_at < $end
    UNION ALL
    SELECT 'test_in_memory', t.host, t.working_set, t.memory, t.working_set <= t.memory, t.began_at, t.ended_at, t.file_id,
           t.line_no
    FROM (
        SELECT r.*, coalesce(r.streams_bytes, r.bytes) AS working_set, f.number * 1e9 AS memory,
               r.ended_at - to_microseconds(CAST(r.elapsed_s * 1e6 AS BIGINT)) AS began_at
        FROM silver.benchmark_run r CROSS JOIN site.setting c
        JOIN site.fact f ON f.entity = r.host AND f.name = 'memory_gb'
            AND coalesce(site_time(r.ended_at, c.zone) >= f.since_day, true)
            AND coalesce(site_time(r.ended_at, c.zone) < f.until_day, true)
        WHERE r.ended_at IS NOT NULL AND r.bytes > 0 AND r.is_flushed IS NOT TRUE
    ) t
    WHERE t.began_at >= $begin AND t.began_at < $end
),
-- one pass: samples are millions
counted AS (
    SELECT kind, entity, count(*) AS n_compared, count(*) FILTER (is_impossible) AS n,
           first({'reported': reported, 'bound': bound, 'file_id': file_id, 'line_no': line_no}
                 ORDER BY abs(reported - bound) / greatest(abs(bound), 1e-9) DESC, reported, bound, from_at, to_at,
                          file_id, line_no) FILTER (is_impossible) AS worst,
           min(from_at) FILTER (is_impossible) AS from_at, max(to_at) FILTER (is_impossible) AS to_at
    FROM compared GROUP BY kind, entity
),
-- a counter of 32 bits shows itself by its largest count between two polls: nearly a turn, and never more
turned AS (
    SELECT c.entity
    FROM counted c JOIN gold.link_reconciliation l
        ON concat_ws('/', l.station, l.direction) = c.entity AND l.bin_at >= c.from_at AND l.bin_at < c.to_at
    WHERE c.kind = 'link_below_tape'
    GROUP BY c.entity
    HAVING max(l.max_mb_s) / min(l.turn_mb_s)
        BETWEEN rule_limit('counter_wrap', 'near') AND 1 + rule_limit('counter_wrap', 'slack')
),
found AS (
    SELECT *, CAST(sum(n_compared) OVER (PARTITION BY kind) AS BIGINT) AS n_of_kind FROM counted
)
SELECT k.kind, f.entity, coalesce(f.n, 0) AS n, coalesce(f.n_of_kind, 0) AS n_compared, f.worst.reported AS reported,
       f.worst.bound AS bound, CASE WHEN f.n > 0 THEN k.what END AS what,
       format(k.why, f.worst.reported, f.worst.bound) AS why,
       CASE WHEN k.kind = 'link_below_tape' AND f.entity IN (SELECT entity FROM turned)
            THEN 'no poll counts more than 2^32 bytes, which points to a 32-bit counter that wraps' END AS hint,
       f.from_at, f.to_at, CASE WHEN f.kind IS NULL THEN 'nothing to compare: no ' || k.needs END AS reason_missing,
       f.worst.file_id AS file_id, f.worst.line_no AS line_no
FROM kind k LEFT JOIN found f ON f.kind = k.kind
WHERE f.kind IS NULL OR f.n > 0
ORDER BY k.kind, f.entity
