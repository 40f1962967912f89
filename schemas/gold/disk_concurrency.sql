/*
title = "Disks in use at once"
grain = "one row per site day, host, tool, number of disks written at once and number of disks read at once"
why = "The total rate of a host's disks, by how many of them are written and read at the same instant. This table exists because pages cannot read a week of one-second samples of each disk."
partition = "month"
features = ["M23", "M24"]

[columns]
day = { type = "DATE", doc = "site day of the samples" }
host = { type = "VARCHAR", doc = "host" }
tool = { type = "VARCHAR", doc = "program that took the sample" }
n_writing = { type = "BIGINT", doc = "number of disks written at 1 MB/s or more at the instant" }
n_reading = { type = "BIGINT", doc = "number of disks read at 1 MB/s or more at the instant" }
n_samples = { type = "BIGINT", doc = "number of instants with n_writing and n_reading" }
low_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "write rate of all disks together: minimum over the instants" }
p50_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median over the instants of the write rate of all disks together" }
high_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "maximum over the instants of the write rate of all disks together" }
low_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "read rate of all disks together: minimum over the instants" }
p50_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median read rate of all disks together over the instants" }
high_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "maximum read rate of all disks together over the instants" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "host", "tool", "n_writing", "n_reading"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "low_write_mb_s"
min_value = 0
severity = "critical"
*/
WITH instant AS (
    SELECT host, tool, from_at, to_at, count(*) FILTER (WHERE write_bytes_s >= 1e6) AS n_writing,
           count(*) FILTER (WHERE read_bytes_s >= 1e6) AS n_reading,
           -- whole bytes: their sum does not depend on the order in which the disks come
           CAST(sum(CAST(round(write_bytes_s) AS BIGINT)) AS DOUBLE) / 1e6 AS write_mb_s,
           CAST(sum(CAST(round(read_bytes_s) AS BIGINT)) AS DOUBLE) / 1e6 AS read_mb_s
    FROM silver.device_sample WHERE is_summed
    GROUP BY host, tool, from_at, to_at
)
SELECT site_day(i.from_at, c.zone) AS day, i.host, i.tool, i.n_writing, i.n_reading,
       count(*) AS n_samples, min(i.write_mb_s) AS low_write_mb_s, median(i.write_mb_s) AS p50_write_mb_s,
       max(i.write_mb_s) AS high_write_mb_s, min(i.read_mb_s) AS low_read_mb_s, median(i.read_mb_s) AS p50_read_mb_s,
       max(i.read_mb_s) AS high_read_mb_s
FROM instant i CROSS JOIN site.setting c
WHERE i.n_writing + i.n_reading > 0
GROUP BY ALL
