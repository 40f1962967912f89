/*
title = "Samples of hosts per hour"
grain = "one row per site day, UTC hour, host and program that sampled"
why = "Shows the average load of a host's CPUs, disks and network in each hour. The table summarises samples, because a year of samples is too much for a page."
partition = "month"

[columns]
day = { type = "DATE", doc = "site day of the samples; an hour in which a site day ends has a row for each of the two days" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC; a sample counts in the hour in which it starts" }
host = { type = "VARCHAR", doc = "host" }
tool = { type = "VARCHAR", doc = "program that took the samples" }
from_at = { type = "TIMESTAMP", doc = "start of the first sample, UTC" }
to_at = { type = "TIMESTAMP", doc = "latest end of a sample, UTC" }
n_host_samples = { type = "BIGINT", doc = "number of samples of the host's total load: CPUs, memory, and all disks together" }
n_disk_samples = { type = "BIGINT", doc = "number of samples of single disks" }
n_network_samples = { type = "BIGINT", doc = "number of samples of network interfaces: ports, bonded interfaces, or a tool's own total" }
cpu_user = { type = "DOUBLE", unit = "1", doc = "share of CPU time in user code, average of the samples" }
n_cpu_user = { type = "BIGINT", doc = "number of samples that have cpu_user" }
cpu_system = { type = "DOUBLE", unit = "1", doc = "share of CPU time in the kernel, average of the samples" }
n_cpu_system = { type = "BIGINT", doc = "number of samples that have cpu_system" }
cpu_wait = { type = "DOUBLE", unit = "1", doc = "share of CPU time that was idle while disk requests were outstanding; average of the samples" }
n_cpu_wait = { type = "BIGINT", doc = "number of samples that have cpu_wait" }
cpu_idle = { type = "DOUBLE", unit = "1", doc = "idle share of CPU time, average of the samples" }
n_cpu_idle = { type = "BIGINT", doc = "number of samples that have cpu_idle" }
max_run_queue = { type = "INTEGER", doc = "largest number of runnable tasks in a sample" }
max_blocked = { type = "INTEGER", doc = "largest number of tasks in uninterruptible wait in a sample" }
read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of reads from the host's disks, average of the samples" }
n_read = { type = "BIGINT", doc = "number of samples with a read rate of the host's disks" }
write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of writes to the host's disks, average of the samples" }
n_write = { type = "BIGINT", doc = "number of samples with a write rate of the host's disks" }
n_read_or_write = { type = "BIGINT", doc = "number of samples with a read rate, a write rate or both" }
max_disk_busy = { type = "DOUBLE", unit = "1", doc = "largest busy share of a single disk in a sample" }
in_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate of data that the host received through all its network ports. Where neither ports nor a total were sampled: through the bonded interface with the most traffic" }
n_in = { type = "BIGINT", doc = "number of sampled intervals with a rate of data received" }
out_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate of data that the host sent through all its network ports. Where neither ports nor a total were sampled: through the bonded interface with the most traffic" }
n_out = { type = "BIGINT", doc = "number of sampled intervals with a rate of data sent" }
n_in_or_out = { type = "BIGINT", doc = "number of sampled intervals with a rate of data received, of data sent or both" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "hour_at", "host", "tool"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "to_at"
column_B = "from_at"
severity = "critical"
*/
-- Clocks of all zones differ from UTC by whole quarters of an hour, so a quarter is within one site day. Values are summed
-- as whole numbers of 1e-12: their sums do not depend on the order in which the rows come.
WITH of_host AS (
    SELECT host, tool, time_bucket(INTERVAL 15 MINUTE, from_at) AS quarter_at, min(from_at) AS from_at, max(to_at) AS to_at,
           count(*) AS n_host_samples,
           sum(CAST(1e12 * cpu_user AS HUGEINT)) AS user_sum, count(cpu_user) AS n_cpu_user,
           sum(CAST(1e12 * cpu_system AS HUGEINT)) AS system_sum, count(cpu_system) AS n_cpu_system,
           sum(CAST(1e12 * cpu_wait AS HUGEINT)) AS wait_sum, count(cpu_wait) AS n_cpu_wait,
           sum(CAST(1e12 * cpu_idle AS HUGEINT)) AS idle_sum, count(cpu_idle) AS n_cpu_idle,
           max(run_queue) AS max_run_queue, max(blocked) AS max_blocked,
           sum(CAST(1e12 * read_bytes_s AS HUGEINT)) AS read_sum, count(read_bytes_s) AS n_read,
           sum(CAST(1e12 * write_bytes_s AS HUGEINT)) AS write_sum, count(write_bytes_s) AS n_write,
           count(coalesce(read_bytes_s, write_bytes_s)) AS n_read_or_write
    FROM silver.host_sample WHERE to_at > from_at
    GROUP BY host, tool, quarter_at
),
of_disks AS (
    SELECT host, tool, time_bucket(INTERVAL 15 MINUTE, from_at) AS quarter_at, min(from_at) AS from_at, max(to_at) AS to_at,
           count(*) AS n_disk_samples, max(busy) AS max_disk_busy
    FROM silver.device_sample WHERE to_at > from_at AND is_summed
    GROUP BY host, tool, quarter_at
),
of_interval AS (
    SELECT host, tool, from_at, to_at, count(*) AS n_samples,
           coalesce(sum(CAST(1e12 * in_bytes_s AS HUGEINT)) FILTER (is_summed),
                    max(CAST(1e12 * in_bytes_s AS HUGEINT))) AS in_bytes,
           coalesce(sum(CAST(1e12 * out_bytes_s AS HUGEINT)) FILTER (is_summed),
                    max(CAST(1e12 * out_bytes_s AS HUGEINT))) AS out_bytes
    FROM silver.network_sample WHERE to_at > from_at AND (is_summed OR kind = 'bond')
    GROUP BY host, tool, from_at, to_at
),
of_network AS (
    SELECT host, tool, time_bucket(INTERVAL 15 MINUTE, from_at) AS quarter_at, min(from_at) AS from_at, max(to_at) AS to_at,
           sum(n_samples) AS n_network_samples, sum(in_bytes) AS in_sum, count(in_bytes) AS n_in,
           sum(out_bytes) AS out_sum, count(out_bytes) AS n_out, count(coalesce(in_bytes, out_bytes)) AS n_in_or_out
    FROM of_interval
    GROUP BY host, tool, quarter_at
),
quarter AS (
    SELECT q.*, site_day(q.quarter_at, c.zone) AS day, date_trunc('hour', q.quarter_at) AS hour_at
    FROM (FROM of_host UNION ALL BY NAME FROM of_disks UNION ALL BY NAME FROM of_network) q CROSS JOIN site.setting c
)
SELECT day, hour_at, host, tool, min(from_at) AS from_at, max(to_at) AS to_at,
       CAST(coalesce(sum(n_host_samples), 0) AS BIGINT) AS n_host_samples,
       CAST(coalesce(sum(n_disk_samples), 0) AS BIGINT) AS n_disk_samples,
       CAST(coalesce(sum(n_network_samples), 0) AS BIGINT) AS n_network_samples,
       sum(user_sum) / sum(n_cpu_user) / 1e12 AS cpu_user, CAST(coalesce(sum(n_cpu_user), 0) AS BIGINT) AS n_cpu_user,
       sum(system_sum) / sum(n_cpu_system) / 1e12 AS cpu_system,
       CAST(coalesce(sum(n_cpu_system), 0) AS BIGINT) AS n_cpu_system,
       sum(wait_sum) / sum(n_cpu_wait) / 1e12 AS cpu_wait, CAST(coalesce(sum(n_cpu_wait), 0) AS BIGINT) AS n_cpu_wait,
       sum(idle_sum) / sum(n_cpu_idle) / 1e12 AS cpu_idle, CAST(coalesce(sum(n_cpu_idle), 0) AS BIGINT) AS n_cpu_idle,
       max(max_run_queue) AS max_run_queue, max(max_blocked) AS max_blocked,
       sum(read_sum) / sum(n_read) / 1e18 AS read_mb_s, CAST(coalesce(sum(n_read), 0) AS BIGINT) AS n_read,
       sum(write_sum) / sum(n_write) / 1e18 AS write_mb_s, CAST(coalesce(sum(n_write), 0) AS BIGINT) AS n_write,
       CAST(coalesce(sum(n_read_or_write), 0) AS BIGINT) AS n_read_or_write, max(max_disk_busy) AS max_disk_busy,
       sum(in_sum) / sum(n_in) / 1e18 AS in_mb_s, CAST(coalesce(sum(n_in), 0) AS BIGINT) AS n_in,
       sum(out_sum) / sum(n_out) / 1e18 AS out_mb_s, CAST(coalesce(sum(n_out), 0) AS BIGINT) AS n_out,
       CAST(coalesce(sum(n_in_or_out), 0) AS BIGINT) AS n_in_or_out
FROM quarter
GROUP BY day, hour_at, host, tool
