/*
title = "Disks at once"
grain = "one row per site day, host, tool, number of its disks that are written and number that are read at once"
why = "What a host's disks give together, by how many are written and read at that instant. An instant has a row of samples for each disk: a week of them at one second is read for no page."
partition = "month"
features = ["M23", "M24"]

[columns]
day = { type = "DATE", doc = "site day of the samples" }
host = { type = "VARCHAR", doc = "host" }
tool = { type = "VARCHAR", doc = "program that measured it" }
n_writing = { type = "BIGINT", doc = "disks written at 1 MB/s or more" }
n_reading = { type = "BIGINT", doc = "disks read at 1 MB/s or more" }
n_samples = { type = "BIGINT", doc = "instants at which it was so" }
low_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "written by all disks together, the least of the instants" }
p50_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median of them" }
high_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "most of them" }
low_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "read from all disks together, the least of the instants" }
p50_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median of them" }
high_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "most of them" }

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
           -- whole bytes: their sum is the same in whatever order the disks come
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
