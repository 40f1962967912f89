/*
title = "Rates of disks that are in use at once"
grain = "one row per site day, host, program that sampled, number of disks written at once and number of disks read at once; instants at which no disk was in use are left out"
why = "Shows how the total rate of a host's disks depends on how many of them are written and read at the same instant. The table summarises samples, because a week of one-second samples is too much for a page."
partition = "month"
features = ["M23", "M24"]

[columns]
day = { type = "DATE", doc = "site day of the samples" }
host = { type = "VARCHAR", doc = "host" }
tool = { type = "VARCHAR", doc = "program that took the sample" }
n_writing = { type = "BIGINT", doc = "number of disks that were written at 1 MB/s or more at the same instant" }
n_reading = { type = "BIGINT", doc = "number of disks that were read at 1 MB/s or more at the same instant" }
n_samples = { type = "BIGINT", doc = "number of sampled instants at which n_writing disks were written and n_reading disks were read" }
low_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "lowest total write rate of all the host's disks, over the instants counted in n_samples" }
p50_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median of the total write rate of all the host's disks, over the instants counted in n_samples" }
high_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest total write rate of all the host's disks, over the instants counted in n_samples" }
low_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "lowest total read rate of all the host's disks, over the instants counted in n_samples" }
p50_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median of the total read rate of all the host's disks, over the instants counted in n_samples" }
high_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest total read rate of all the host's disks, over the instants counted in n_samples" }

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
