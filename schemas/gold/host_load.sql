/*
title = "Load of hosts per hour"
grain = "one row per host and hour with samples"
why = "Shows whether a station's CPUs had idle time, and whether writes to its disks delay reads. If reads and writes use the same disk volume, reads can almost stop until the writes end."
partition = "month"
lineage = ["file_id", "line_no"]
features = ["M22", "M24"]

[columns]
day = { type = "DATE", doc = "site day of hour_at" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC" }
host = { type = "VARCHAR", doc = "host" }
tool = { type = "VARCHAR", doc = "program with the most samples in the hour; only its samples count" }
covered_s = { type = "DOUBLE", unit = "s", was = "seen_s", doc = "seconds of the hour for which samples exist; a sample counts in the hour in which it starts" }
idle = { type = "DOUBLE", unit = "1", doc = "share of CPU time that was idle; CPU time spent waiting for disks does not count as idle" }
saturated_s = { type = "DOUBLE", unit = "s", doc = "seconds of the hour covered by samples in which at most 5 % of CPU time was idle; NULL where no sample has CPU times" }
read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average read rate of all the host's disks" }
write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average write rate of all the host's disks" }
max_moved_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest rate of reads plus writes in one sample" }
writing_s = { type = "DOUBLE", unit = "s", doc = "seconds of the hour in which the host wrote to its disks. A sample counts if its write rate is at least 1 MB/s and at least a tenth of the 95th percentile of the hour's write rates" }
read_writing_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average read rate while the host wrote (writing_s); NULL where the host never wrote" }
read_else_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average read rate while the host did not write (outside writing_s); NULL where the host always wrote" }
low_writing_s = { type = "DOUBLE", unit = "s", doc = "part of writing_s in which the host read little or nothing: less than a tenth of read_else_mb_s. NULL where read_else_mb_s is NULL, below 1 MB/s or computed from less than 10 s of samples" }
low_else_s = { type = "DOUBLE", unit = "s", doc = "seconds outside writing_s in which the host read little or nothing: less than a tenth of read_else_mb_s. NULL where read_else_mb_s is NULL, below 1 MB/s or computed from less than 10 s of samples" }
starved_s = { type = "DOUBLE", unit = "s", doc = "estimated seconds in which writes delayed reads, at least 0. It is low_writing_s less the time in which the host would have read as little even without writes. That time is writing_s x (low_else_s / seconds outside writing_s). The estimate may be too high, because samples do not show whether any reads were needed. NULL where low_writing_s is NULL" }
denied_s = { type = "DOUBLE", unit = "s", doc = "part of starved_s in which disk reads were needed, because a drive wrote a file from this host to tape. NULL where starved_s is NULL, and where no drive log shows such a file while the host wrote to its disks" }
file_id = { type = "VARCHAR", doc = "log file with the first sample of the hour" }
line_no = { type = "BIGINT", doc = "number of the line with the first sample of the hour" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["host", "hour_at"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "writing_s"
column_B = "starved_s"
or_equal = true
severity = "critical"
*/
WITH counted AS (
    SELECT host, tool, date_trunc('hour', from_at) AS hour_at, count(*) AS n_samples
    FROM silver.host_sample WHERE to_at > from_at
    GROUP BY ALL
),
finest AS (
    SELECT host, tool, hour_at FROM counted
    QUALIFY row_number() OVER (PARTITION BY host, hour_at ORDER BY n_samples DESC, tool) = 1
),
sample AS (
    -- whole microseconds, bytes and millionths: their sums do not depend on the order in which the rows come
    SELECT s.host, f.hour_at, s.tool, s.from_at, s.cpu_idle, s.read_bytes_s, s.write_bytes_s, s.file_id, s.line_no,
           date_diff('microsecond', s.from_at, s.to_at) AS us,
           CAST(round(s.cpu_idle * date_diff('microsecond', s.from_at, s.to_at)) AS BIGINT) AS idle_us,
           CAST(round(s.read_bytes_s * date_diff('microsecond', s.from_at, s.to_at) / 1e6) AS BIGINT) AS read_bytes,
           CAST(round(s.write_bytes_s * date_diff('microsecond', s.from_at, s.to_at) / 1e6) AS BIGINT) AS write_bytes
    FROM silver.host_sample s
    JOIN finest f
        ON f.host = s.host AND f.tool IS NOT DISTINCT FROM s.tool AND f.hour_at = date_trunc('hour', s.from_at)
    WHERE s.to_at > s.from_at
),
level AS (
    SELECT host, hour_at, greatest(1e6, quantile_disc(write_bytes_s, 0.95) / 10) AS writing_from
    FROM sample WHERE write_bytes_s IS NOT NULL
    GROUP BY host, hour_at
),
marked AS (
    SELECT s.*, s.write_bytes_s >= l.writing_from AS is_writing
    FROM sample s LEFT JOIN level l ON l.host = s.host AND l.hour_at = s.hour_at
),
base AS (
    SELECT host, hour_at, 1e6 * sum(read_bytes) FILTER (NOT is_writing) / sum(us) FILTER (NOT is_writing) AS else_bytes_s,
           sum(us) FILTER (NOT is_writing) AS else_us, coalesce(sum(us) FILTER (is_writing), 0) AS writing_us
    FROM marked WHERE read_bytes IS NOT NULL
    GROUP BY host, hour_at
),
low AS (
    SELECT b.host, b.hour_at, b.writing_us, b.else_us,
           coalesce(sum(m.us) FILTER (m.is_writing), 0) AS low_writing_us,
           coalesce(sum(m.us) FILTER (NOT m.is_writing), 0) AS low_else_us
    FROM base b
    LEFT JOIN marked m ON m.host = b.host AND m.hour_at = b.hour_at AND m.read_bytes_s < b.else_bytes_s / 10
    WHERE b.else_bytes_s >= 1e6 AND b.else_us >= 10000000
    GROUP BY b.host, b.hour_at, b.writing_us, b.else_us
),
-- reads were needed while a tape was written from the host
needed AS (
    SELECT m.host, m.hour_at, sum(m.us) AS writing_us,
           coalesce(sum(m.us) FILTER (m.read_bytes_s < b.else_bytes_s / 10), 0) AS low_us
    FROM (SELECT host, hour_at, from_at, us, read_bytes_s FROM marked WHERE is_writing AND read_bytes_s IS NOT NULL) m
    JOIN base b ON b.host = m.host AND b.hour_at = m.hour_at
    SEMI JOIN (SELECT station, started_at, ended_at FROM silver.transfer WHERE mode = 'write') t
        ON t.station = m.host AND t.started_at < m.from_at + to_microseconds(m.us) AND t.ended_at > m.from_at
    GROUP BY m.host, m.hour_at
)
SELECT site_day(m.hour_at, any_value(c.zone)) AS day, m.hour_at, m.host,
       any_value(m.tool) AS tool, sum(m.us) / 1e6 AS covered_s,
       sum(m.idle_us) / sum(m.us) FILTER (m.idle_us IS NOT NULL) AS idle,
       CASE WHEN count(m.cpu_idle) > 0 THEN coalesce(sum(m.us) FILTER (m.cpu_idle <= 0.05), 0) / 1e6 END AS saturated_s,
       sum(m.read_bytes) / sum(m.us) FILTER (m.read_bytes IS NOT NULL) AS read_mb_s,
       sum(m.write_bytes) / sum(m.us) FILTER (m.write_bytes IS NOT NULL) AS write_mb_s,
       max(m.read_bytes_s + m.write_bytes_s) / 1e6 AS max_moved_mb_s,
       CASE WHEN count(m.is_writing) > 0 THEN coalesce(sum(m.us) FILTER (m.is_writing), 0) / 1e6 END AS writing_s,
       sum(m.read_bytes) FILTER (m.is_writing)
           / sum(m.us) FILTER (m.is_writing AND m.read_bytes IS NOT NULL) AS read_writing_mb_s,
       any_value(b.else_bytes_s) / 1e6 AS read_else_mb_s,
       any_value(w.low_writing_us) / 1e6 AS low_writing_s, any_value(w.low_else_us) / 1e6 AS low_else_s,
       -- greatest passes over NULL
       CASE WHEN any_value(w.else_us) IS NOT NULL
            THEN greatest(any_value(w.low_writing_us - w.writing_us * (w.low_else_us / w.else_us)), 0) / 1e6 END
           AS starved_s,
       CASE WHEN any_value(w.else_us) IS NOT NULL AND any_value(n.writing_us) IS NOT NULL
            THEN greatest(any_value(n.low_us - n.writing_us * (w.low_else_us / w.else_us)), 0) / 1e6 END AS denied_s,
       arg_min(m.file_id, (m.from_at, m.file_id, m.line_no)) AS file_id,
       arg_min(m.line_no, (m.from_at, m.file_id, m.line_no)) AS line_no
FROM marked m
LEFT JOIN base b ON b.host = m.host AND b.hour_at = m.hour_at
LEFT JOIN low w ON w.host = m.host AND w.hour_at = m.hour_at
LEFT JOIN needed n ON n.host = m.host AND n.hour_at = m.hour_at
CROSS JOIN site.setting c
GROUP BY m.host, m.hour_at
