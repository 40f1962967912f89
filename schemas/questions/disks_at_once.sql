/*
title = "Rates of a host's disks by how many are read and written at once"
why = "What two writes to volumes of their own give together, what a write and a read leave each other, and how far that wanders."

[params.first_day]
type = "DATE"
doc = "first site day; the last day with data if left out"

[params.last_day]
type = "DATE"
doc = "last site day; the last day with data if left out"

[params.least_mb_s]
type = "DOUBLE"
default = "1"
doc = "from which rate on a disk counts as read or written"

[columns]
host = { type = "VARCHAR", doc = "host" }
tool = { type = "VARCHAR", doc = "program whose samples these are" }
n_writing = { type = "BIGINT", doc = "disks written at once" }
n_reading = { type = "BIGINT", doc = "disks read at once" }
n_samples = { type = "BIGINT", doc = "samples with so many" }
low_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "written to all disks together: lowest sample" }
p50_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median" }
high_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest" }
low_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "read from all disks together: lowest sample" }
p50_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median" }
high_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest" }
*/
WITH instant AS (
    SELECT host, tool, from_at, to_at,
           count(*) FILTER (WHERE write_bytes_s >= $least_mb_s * 1e6) AS n_writing,
           count(*) FILTER (WHERE read_bytes_s >= $least_mb_s * 1e6) AS n_reading,
           sum(write_bytes_s) / 1e6 AS write_mb_s, sum(read_bytes_s) / 1e6 AS read_mb_s
    FROM silver.device_sample CROSS JOIN site.setting c
    WHERE is_summed AND day BETWEEN $first_day - 1 AND $last_day + 1  -- UTC's days, for the files that are read
      AND CAST(timezone(c.zone, timezone('UTC', from_at)) AS DATE) BETWEEN $first_day AND $last_day
    GROUP BY host, tool, from_at, to_at
)
SELECT host, tool, n_writing, n_reading, count(*) AS n_samples, min(write_mb_s) AS low_write_mb_s,
       median(write_mb_s) AS p50_write_mb_s, max(write_mb_s) AS high_write_mb_s, min(read_mb_s) AS low_read_mb_s,
       median(read_mb_s) AS p50_read_mb_s, max(read_mb_s) AS high_read_mb_s
FROM instant
WHERE n_writing + n_reading > 0
GROUP BY host, tool, n_writing, n_reading
ORDER BY host, tool, n_writing, n_reading
