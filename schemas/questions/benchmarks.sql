/*
title = "Timed tests"
topic = "host"
why = "Shows the results of timed tests of disks and network paths. Each result is listed with the number of simultaneous test runs, the CPU time and the host's configuration. For doubtful results, the reason is given."
takes = ["host"]

[columns]
host = { type = "VARCHAR", doc = "host" }
ended_at = { type = "TIMESTAMP", doc = "end of the test run, UTC; NULL where neither the log file nor site.toml gives the time of the test" }
tool = { type = "VARCHAR", doc = "program that printed the result: dd, time, timex, `dd time` or `dd timex`" }
mode = { type = "VARCHAR", doc = "mode of the test: read, write or copy; NULL where the log file does not show the test's dd command" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "data that the test run moved; NULL where the log file shows only a duration" }
block_bytes = { type = "BIGINT", unit = "bytes", doc = "block size" }
path = { type = "VARCHAR", doc = "file or disk that dd read (mode read) or wrote (modes write and copy); NULL where the log file does not show the test's dd command, or the command names no file or disk" }
n_streams = { type = "BIGINT", doc = "number of test runs on the host that overlapped this one in time, including this one; NULL where ended_at is NULL" }
n_folders = { type = "BIGINT", doc = "number of different folders that the test runs counted in n_streams used, from their column path. Several folders can be on one file system. NULL where ended_at is NULL" }
elapsed_s = { type = "DOUBLE", unit = "s", doc = "wall-clock time of the test run" }
rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / wall-clock time of the test run" }
cpu_cost = { type = "DOUBLE", unit = "s/GB", doc = "CPU seconds that the test used per GB moved" }
cpu_share = { type = "DOUBLE", unit = "1", doc = "CPU seconds that the test used / its wall-clock time; 1 means that the test kept one CPU busy" }
cpu_idle = { type = "DOUBLE", unit = "1", doc = "idle share of the host's CPUs during the test run, from samples of the host that overlap the run; NULL without such samples" }
memory_gb = { type = "DOUBLE", unit = "GB", doc = "memory of the host at the time of the test run, from the fact memory_gb in site.toml; if that time is not known, the present memory" }
is_local = { type = "BOOLEAN", doc = "true if the path is on a local file system, false if it is on a network file system. The host's fact network_filesystems lists the mount points of network file systems. NULL without that fact or without a path" }
facts = { type = "VARCHAR", doc = "facts that site.toml declares for the host at the time of the test run, except memory_gb and network_filesystems; if that time is not known, the present facts" }
is_plausible = { type = "BOOLEAN", doc = "true where the rate is usable, false where it is doubtful (see doubt); NULL where there is no rate" }
doubt = { type = "VARCHAR", doc = "reason why the result is doubtful; NULL where it is not doubtful" }
command = { type = "VARCHAR", doc = "command of the test; NULL where the log file does not show it" }
*/
WITH run AS (
    SELECT *, ended_at - to_microseconds(CAST(elapsed_s * 1e6 AS BIGINT)) AS began_at,
           regexp_extract(path, '^(.*)/', 1) AS folder
    FROM silver.benchmark_run
    WHERE $host = '' OR host = $host
),
parallel AS (
    SELECT r.file_id, r.line_no, count(DISTINCT o.folder) AS n_folders
    FROM run r JOIN run o ON o.host = r.host AND o.began_at < r.ended_at AND o.ended_at > r.began_at
    GROUP BY r.file_id, r.line_no
),
sampled AS (
    SELECT r.file_id, r.line_no, s.cpu_idle,
           date_diff('microsecond', greatest(s.from_at, r.began_at), least(s.to_at, r.ended_at)) AS us
    FROM run r
    JOIN silver.host_sample s ON s.host = r.host AND s.day BETWEEN CAST(r.began_at AS DATE) - 1 AND CAST(r.ended_at AS DATE)
                             AND s.from_at < r.ended_at AND s.to_at > r.began_at AND s.cpu_idle IS NOT NULL
),
idle AS (
    -- a sample counts by its seconds within the run; of several tools all say the same share
    SELECT file_id, line_no, sum(cpu_idle * us) / sum(us) AS cpu_idle FROM sampled GROUP BY file_id, line_no
),
fact AS (
    -- for a run without a date the present facts
    SELECT r.file_id, r.line_no, any_value(f.number) FILTER (f.name = 'memory_gb') AS memory_gb,
           any_value(f.value) FILTER (f.name = 'network_filesystems') AS network,
           string_agg(f.name || ' ' || f.value, ', ' ORDER BY f.name)
               FILTER (f.name NOT IN ('memory_gb', 'network_filesystems')) AS facts
    FROM run r CROSS JOIN site.setting c
    JOIN site.fact f ON f.entity = r.host
     AND CASE WHEN r.ended_at IS NULL THEN f.until_day IS NULL
              ELSE coalesce(site_day(r.ended_at, c.zone) >= f.since_day, true)
               AND coalesce(site_day(r.ended_at, c.zone) < f.until_day, true) END
    GROUP BY r.file_id, r.line_no
),
described AS (
    SELECT r.*, b.n_folders, i.cpu_idle, f.memory_gb, f.facts, f.network,
           len(list_filter(string_split(coalesce(f.network, ''), ' '), lambda p: p <> '' AND starts_with(r.path, p))) = 0
               AS is_local,
           NOT coalesce(r.is_flushed, false) AND coalesce(r.streams_bytes, r.bytes) <= f.memory_gb * 1e9 AS is_cached
    FROM run r
    LEFT JOIN parallel b USING (file_id, line_no)
    LEFT JOIN idle i USING (file_id, line_no)
    LEFT JOIN fact f USING (file_id, line_no)
)
SELECT host, ended_at, tool, mode, bytes / 1e9 AS volume_gb, block_bytes, path, n_streams, n_folders, elapsed_s,
       rate_bytes_s / 1e6 AS rate_mb_s, cpu_s / nullif(bytes / 1e9, 0) AS cpu_cost, cpu_s / nullif(elapsed_s, 0) AS cpu_share,
       cpu_idle, memory_gb, CASE WHEN path IS NOT NULL AND network IS NOT NULL THEN is_local END AS is_local, facts,
       CASE WHEN is_plausible THEN is_cached IS NOT TRUE ELSE is_plausible END AS is_plausible,
       nullif(concat_ws('; ', doubt, CASE WHEN is_cached THEN format('the host''s {:g} GB of memory could cache all data moved', memory_gb) END), '')
           AS doubt,
       command
FROM described
ORDER BY is_plausible AND is_cached IS NOT TRUE IS NOT TRUE, host, ended_at, file_id, line_no
