/*
title = "Activity of hosts over time"
topic = "host"
why = "Shows how busy the CPUs, disks and network of each host were, and at which rate drives moved data for the host. This reveals whether a host had capacity left while drives waited for it."
takes = ["first_day", "last_day"]

[params.host]
type = "VARCHAR"
default = ""
doc = "only this host; default: all hosts"

[params.n]
type = "BIGINT"
default = "300"
doc = "maximum number of time steps between the first and the last sample of the period, for each host"

[columns]
host = { type = "VARCHAR", doc = "host" }
bin_at = { type = "TIMESTAMP", doc = "start of the time step over which samples are averaged, UTC" }
bin_s = { type = "DOUBLE", unit = "s", doc = "length of the time step, between 1 s and one day: the shortest available length that gives at most n steps (parameter)" }
cpu_user = { type = "DOUBLE", unit = "1", doc = "share of CPU time in user code, averaged over the samples" }
cpu_system = { type = "DOUBLE", unit = "1", doc = "share of CPU time in the kernel" }
cpu_wait = { type = "DOUBLE", unit = "1", doc = "share of CPU time that was idle while disk requests were outstanding" }
cpu_idle = { type = "DOUBLE", unit = "1", doc = "idle share of CPU time" }
run_queue = { type = "DOUBLE", doc = "largest number of runnable processes in any sample of the time step" }
blocked = { type = "DOUBLE", doc = "largest number of processes in uninterruptible wait (usually for a disk) in any sample of the time step" }
read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of reads from the host's disks" }
write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of writes to the host's disks" }
disk_busy = { type = "DOUBLE", unit = "1", doc = "share of time in which the busiest disk was busy: highest sample of the time step" }
in_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of data received by all of the host's network ports. Where neither ports nor their total were sampled: by the bonded interface with the most traffic" }
out_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of data sent by all of the host's network ports. Where neither ports nor their total were sampled: by the bonded interface with the most traffic" }
tape_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of reads from tape by the host's drives: drives attached to the host, or drives that move data for it. The bytes of a transfer are divided evenly over its duration. NULL if no log shows a transfer of these drives" }
tape_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of writes to tape by the host's drives: drives attached to the host, or drives that move data for it. The bytes of a transfer are divided evenly over its duration. NULL if no log shows a transfer of these drives" }
*/
WITH hourly AS (
    SELECT * FROM gold.host_hour WHERE day BETWEEN $first_day AND $last_day AND ($host = '' OR host = $host)
),
width AS (
    SELECT coalesce(min(step) FILTER (step >= extent_s / ($n - 1)), 86400) AS bin_s
    FROM unnest([1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 21600, 43200]) AS t(step),
         (SELECT date_diff('second', min(from_at), max(to_at)) AS extent_s FROM hourly)
),
-- Hours are read where a bin is an hour or more, samples where it is less; no row of the others is read
averaged AS (
    SELECT h.host, h.tool, w.bin_s, time_bucket(to_seconds(w.bin_s), h.hour_at) AS bin_at,
           sum(h.n_cpu_idle) AS n_cpu, sum(h.n_read_or_write) AS n_disk, sum(h.n_in_or_out) AS n_network,
           sum(h.cpu_user * h.n_cpu_user) / sum(h.n_cpu_user) AS cpu_user,
           sum(h.cpu_system * h.n_cpu_system) / sum(h.n_cpu_system) AS cpu_system,
           sum(h.cpu_wait * h.n_cpu_wait) / sum(h.n_cpu_wait) AS cpu_wait,
           sum(h.cpu_idle * h.n_cpu_idle) / sum(h.n_cpu_idle) AS cpu_idle,
           CAST(max(h.max_run_queue) AS DOUBLE) AS run_queue, CAST(max(h.max_blocked) AS DOUBLE) AS blocked,
           sum(h.read_mb_s * h.n_read) / sum(h.n_read) AS read_mb_s,
           sum(h.write_mb_s * h.n_write) / sum(h.n_write) AS write_mb_s, max(h.max_disk_busy) AS disk_busy,
           sum(h.in_mb_s * h.n_in) / sum(h.n_in) AS in_mb_s, sum(h.out_mb_s * h.n_out) / sum(h.n_out) AS out_mb_s
    FROM hourly h JOIN width w ON w.bin_s >= 3600
    GROUP BY h.host, h.tool, w.bin_s, bin_at
    UNION ALL BY NAME
    SELECT s.host, s.tool, w.bin_s, time_bucket(to_seconds(w.bin_s), s.from_at) AS bin_at,
           count(s.cpu_idle) AS n_cpu, count(coalesce(s.read_bytes_s, s.write_bytes_s)) AS n_disk,
           avg(s.cpu_user) AS cpu_user, avg(s.cpu_system) AS cpu_system, avg(s.cpu_wait) AS cpu_wait, avg(s.cpu_idle) AS cpu_idle,
           CAST(max(s.run_queue) AS DOUBLE) AS run_queue, CAST(max(s.blocked) AS DOUBLE) AS blocked,
           avg(s.read_bytes_s) / 1e6 AS read_mb_s, avg(s.write_bytes_s) / 1e6 AS write_mb_s
    FROM silver.host_sample s JOIN width w ON w.bin_s < 3600 CROSS JOIN site.setting c
    WHERE near_days(s.day, $first_day, $last_day) AND s.to_at > s.from_at AND ($host = '' OR s.host = $host)
      AND in_days(s.from_at, $first_day, $last_day, c.zone)
    GROUP BY s.host, s.tool, w.bin_s, bin_at
    UNION ALL BY NAME
    SELECT s.host, w.bin_s, time_bucket(to_seconds(w.bin_s), s.from_at) AS bin_at, max(s.busy) AS disk_busy
    FROM silver.device_sample s JOIN width w ON w.bin_s < 3600 CROSS JOIN site.setting c
    WHERE near_days(s.day, $first_day, $last_day) AND s.to_at > s.from_at AND ($host = '' OR s.host = $host) AND s.is_summed
      AND in_days(s.from_at, $first_day, $last_day, c.zone)
    GROUP BY s.host, w.bin_s, bin_at
    UNION ALL BY NAME
    SELECT s.host, s.tool, s.bin_s, time_bucket(to_seconds(s.bin_s), s.from_at) AS bin_at,
           count(coalesce(s.in_bytes_s, s.out_bytes_s)) AS n_network,
           avg(s.in_bytes_s) / 1e6 AS in_mb_s, avg(s.out_bytes_s) / 1e6 AS out_mb_s
    FROM (SELECT s.host, s.tool, s.from_at, s.to_at, w.bin_s,
                 coalesce(sum(s.in_bytes_s) FILTER (s.is_summed), max(s.in_bytes_s)) AS in_bytes_s,
                 coalesce(sum(s.out_bytes_s) FILTER (s.is_summed), max(s.out_bytes_s)) AS out_bytes_s
          FROM silver.network_sample s JOIN width w ON w.bin_s < 3600 CROSS JOIN site.setting c
          WHERE near_days(s.day, $first_day, $last_day) AND s.to_at > s.from_at AND ($host = '' OR s.host = $host)
            AND in_days(s.from_at, $first_day, $last_day, c.zone) AND (s.is_summed OR s.kind = 'bond')
          GROUP BY s.host, s.tool, s.from_at, s.to_at, w.bin_s) s
    GROUP BY s.host, s.tool, s.bin_s, bin_at
),
-- several tools may cover the same time: for each quantity the one with most samples in a bin counts
bin AS (
    SELECT host, bin_s, bin_at,
           arg_max(cpu_user, (n_cpu, tool)) FILTER (n_cpu > 0) AS cpu_user,
           arg_max(cpu_system, (n_cpu, tool)) FILTER (n_cpu > 0) AS cpu_system,
           arg_max(cpu_wait, (n_cpu, tool)) FILTER (n_cpu > 0) AS cpu_wait,
           arg_max(cpu_idle, (n_cpu, tool)) FILTER (n_cpu > 0) AS cpu_idle,
           max(run_queue) AS run_queue, max(blocked) AS blocked,
           arg_max(read_mb_s, (n_disk, tool)) FILTER (n_disk > 0) AS read_mb_s,
           arg_max(write_mb_s, (n_disk, tool)) FILTER (n_disk > 0) AS write_mb_s, max(disk_busy) AS disk_busy,
           arg_max(in_mb_s, (n_network, tool)) FILTER (n_network > 0) AS in_mb_s,
           arg_max(out_mb_s, (n_network, tool)) FILTER (n_network > 0) AS out_mb_s
    FROM averaged GROUP BY host, bin_s, bin_at
),
tape AS (
    SELECT h.host, h.bin_s, h.from_at, h.to_at, t.mode, t.started_at, t.ended_at, t.bytes
    FROM (SELECT host, bin_s, min(bin_at) AS from_at, max(bin_at + to_seconds(bin_s)) AS to_at FROM bin GROUP BY host, bin_s) h
    JOIN (SELECT * REPLACE (file_end(started_at, ended_at) AS ended_at), unnest(CASE WHEN $host = '' THEN list_distinct([station, short_host(mover_host)]) ELSE [$host] END) AS host
          FROM silver.transfer
          WHERE near_days(day, CAST($first_day AS DATE) - 1, $last_day) AND ended_at >= started_at
            AND ($host = '' OR station = $host OR short_host(mover_host) = $host)) t
        ON t.host = h.host AND t.started_at < h.to_at AND t.ended_at > h.from_at
),
-- a row per bin that a transfer touches, so that it meets its bins by equality
piece AS (
    SELECT *, unnest(range(greatest(time_bucket(to_seconds(bin_s), started_at), from_at), least(ended_at, to_at),
                           to_seconds(bin_s))) AS bin_at
    FROM tape
),
moved AS (
    SELECT host, bin_at, mode,
           sum(bytes / date_diff('microsecond', started_at, ended_at)
               * date_diff('microsecond', greatest(started_at, bin_at), least(ended_at, bin_at + to_seconds(bin_s)))
               ORDER BY started_at, bytes) / (bin_s * 1e6) AS mb_s
    FROM piece
    GROUP BY host, bin_at, bin_s, mode
)
SELECT b.host, b.bin_at, CAST(b.bin_s AS DOUBLE) AS bin_s, b.cpu_user, b.cpu_system, b.cpu_wait, b.cpu_idle, b.run_queue,
       b.blocked, b.read_mb_s, b.write_mb_s, b.disk_busy, b.in_mb_s, b.out_mb_s,
       CASE WHEN k.host IS NOT NULL THEN coalesce(r.mb_s, 0) END AS tape_read_mb_s,
       CASE WHEN k.host IS NOT NULL THEN coalesce(w.mb_s, 0) END AS tape_write_mb_s
FROM bin b
LEFT JOIN (SELECT DISTINCT host FROM tape) k ON k.host = b.host
LEFT JOIN moved r ON r.host = b.host AND r.bin_at = b.bin_at AND r.mode = 'read'
LEFT JOIN moved w ON w.host = b.host AND w.bin_at = b.bin_at AND w.mode = 'write'
ORDER BY b.host, b.bin_at
