/*
title = "Samples of the load of hosts"
grain = "one row per host, tool and sampled interval"
why = "Shows CPU shares and disk traffic of a host, as each tool measured them. Several tools may have sampled the same time. sar logs CPU, queue and traffic in separate lines or files; one row combines them."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
host = { type = "VARCHAR", doc = "host, named as in site.toml if declared there" }
tool = { type = "VARCHAR", doc = "program or file format from which the sample comes, e.g. vmstat or prometheus_text" }
from_at = { type = "TIMESTAMP", doc = "start of the sample" }
to_at = { type = "TIMESTAMP", doc = "end of the sample" }
cpu_user = { type = "DOUBLE", unit = "1", doc = "share of CPU time spent in user code, including processes with low priority" }
cpu_system = { type = "DOUBLE", unit = "1", doc = "share of CPU time spent in the kernel" }
cpu_idle = { type = "DOUBLE", unit = "1", doc = "share of CPU time that was idle" }
cpu_wait = { type = "DOUBLE", unit = "1", doc = "share of CPU time that was idle while disk requests were not finished" }
run_queue = { type = "INTEGER", doc = "number of runnable tasks at the end of the sample" }
blocked = { type = "INTEGER", doc = "number of tasks in uninterruptible wait, usually for a disk" }
n_cpus = { type = "INTEGER", doc = "number of processors; NULL where not known" }
read_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "bytes read from disks per second. Where the tool gives no total, the sum over complete disks, without partitions" }
write_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "bytes written to disks per second. Where the tool gives no total, the sum over complete disks, without partitions" }
file_id = { type = "VARCHAR", doc = "first of the files from which the row was made" }
line_no = { type = "BIGINT", doc = "number of the row's first line in file_id" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "write_bytes_s"
min_value = 0
severity = "critical"
*/
WITH of_disks AS (
    -- devices on a disk (partitions, mapper, md, paths) would count its bytes again
    SELECT file_id, host, tool, from_at, to_at, sum(read_bytes_s) AS disks_read_bytes_s,
           sum(write_bytes_s) AS disks_write_bytes_s, min(line_no) AS line_no
    FROM bronze.device_sample
    WHERE kind = 'disk' AND starts_with(tool, 'collectd_csv ') IS NOT TRUE
    GROUP BY day, file_id, host, tool, from_at, to_at
    HAVING sum(read_bytes_s) IS NOT NULL OR sum(write_bytes_s) IS NOT NULL
),
-- collectd has one file per state and CPU: the values of one reading become one row with the shares of all CPUs. Files in
-- ticks and in percent, or of single CPUs and of their average, hold the same values twice. Neither changes the shares.
series AS (
    SELECT h.* EXCLUDE (day, from_at, to_at), i.from_at, i.to_at
    FROM bronze.host_sample h
    JOIN silver.series_instant i ON i.day = h.day AND i.file_id = h.file_id AND i.line_no = h.line_no
    WHERE starts_with(h.tool, 'collectd_csv ')
    QUALIFY row_number() OVER (PARTITION BY h.host, h.tool, i.from_at, i.to_at ORDER BY h.file_id, h.line_no) = 1
),
collected AS (
    SELECT from_at, to_at, host, 'collectd_csv' AS tool, min(file_id) AS file_id, arg_min(line_no, file_id) AS line_no,
           sum(coalesce(cpu_user, cpu_nice)) / nullif(count(cpu_idle), 0) AS cpu_user,
           sum(cpu_system) / nullif(count(cpu_idle), 0) AS cpu_system, avg(cpu_idle) AS cpu_idle,
           sum(cpu_wait) / nullif(count(cpu_idle), 0) AS cpu_wait, max(run_queue) AS run_queue, max(blocked) AS blocked,
           CAST(nullif(count(cpu_idle) FILTER (starts_with(tool, 'collectd_csv cpu-')), 0) AS INTEGER) AS n_cpus,
           max(read_bytes_s) AS read_bytes_s, max(write_bytes_s) AS write_bytes_s
    FROM series GROUP BY host, from_at, to_at
),
disks_collected AS (
    SELECT from_at, to_at, host, tool, min(file_id) AS file_id, arg_min(line_no, file_id) AS line_no,
           sum(read_bytes_s) AS disks_read_bytes_s, sum(write_bytes_s) AS disks_write_bytes_s
    FROM silver.device_sample WHERE tool = 'collectd_csv' AND is_summed
    GROUP BY host, tool, from_at, to_at
),
measured AS (
    SELECT from_at, to_at, host, tool, file_id, line_no, cpu_user + coalesce(cpu_nice, 0) AS cpu_user, cpu_system,
           cpu_idle, cpu_wait, run_queue, blocked, n_cpus, read_bytes_s, write_bytes_s, FALSE AS is_of_disks
    FROM bronze.host_sample WHERE starts_with(tool, 'collectd_csv ') IS NOT TRUE
    UNION ALL BY NAME
    SELECT *, FALSE AS is_of_disks FROM collected
    UNION ALL BY NAME
    SELECT *, TRUE AS is_of_disks FROM of_disks
    UNION ALL BY NAME
    SELECT *, TRUE AS is_of_disks FROM disks_collected
),
named AS (
    SELECT m.* EXCLUDE (host), coalesce(a.station, m.host) AS host
    FROM measured m
    LEFT JOIN site.station_alias a ON a.alias = short_host(m.host)
),
-- The outputs of sar and sadf from one binary file end a sample at the same second, but may begin it a second apart: one
-- counts from the previous time stamp, the other prints a rounded interval. Such samples are one row, with the earlier
-- start, if they last ten seconds or more and start on the same day. Shorter samples may come from two runs of the tool,
-- and the rows of a day must not depend on which days are built. Samples that end a second apart stay two rows.
stepped AS (
    SELECT *, to_at - from_at >= INTERVAL 10 SECOND
              AND from_at - lag(from_at) OVER w <= INTERVAL 1 SECOND AS is_same
    FROM named
    WINDOW w AS (PARTITION BY host, tool, to_at, CAST(from_at AS DATE) ORDER BY from_at)
),
numbered AS (
    SELECT *, count(*) FILTER (WHERE is_same IS NOT TRUE) OVER (
                  PARTITION BY host, tool, to_at, CAST(from_at AS DATE) ORDER BY from_at) AS nth
    FROM stepped
),
joined AS (
    SELECT * EXCLUDE (from_at, is_same, nth),
           min(from_at) OVER (PARTITION BY host, tool, to_at, CAST(from_at AS DATE), nth) AS from_at
    FROM numbered
)
-- for each column the first value there is; the tool's own sum takes precedence over that of the disks
SELECT CAST(from_at AS DATE) AS day, host, tool, from_at, to_at, first_value(cpu_user IGNORE NULLS) OVER w AS cpu_user,
       first_value(cpu_system IGNORE NULLS) OVER w AS cpu_system,
       first_value(cpu_idle IGNORE NULLS) OVER w AS cpu_idle, first_value(cpu_wait IGNORE NULLS) OVER w AS cpu_wait,
       first_value(run_queue IGNORE NULLS) OVER w AS run_queue, first_value(blocked IGNORE NULLS) OVER w AS blocked,
       first_value(n_cpus IGNORE NULLS) OVER w AS n_cpus,
       coalesce(
           first_value(read_bytes_s IGNORE NULLS) OVER w, first_value(disks_read_bytes_s IGNORE NULLS) OVER w
       ) AS read_bytes_s,
       coalesce(
           first_value(write_bytes_s IGNORE NULLS) OVER w, first_value(disks_write_bytes_s IGNORE NULLS) OVER w
       ) AS write_bytes_s,
       file_id, line_no
FROM joined
WINDOW w AS (
    PARTITION BY host, tool, from_at, to_at ORDER BY is_of_disks, file_id, line_no
    ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
)
QUALIFY row_number() OVER (PARTITION BY host, tool, from_at, to_at ORDER BY is_of_disks, file_id, line_no) = 1
