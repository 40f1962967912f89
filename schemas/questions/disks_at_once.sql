/*
title = "Rates of a host's disks by the number of disks in use at once"
topic = "host"
why = "Shows how a host's total disk rate depends on the number of disks written and read at the same time, and how much the rate varies."
takes = ["first_day", "last_day"]

[columns]
host = { type = "VARCHAR", doc = "host" }
tool = { type = "VARCHAR", doc = "program that took the samples" }
n_writing = { type = "BIGINT", doc = "number of disks that were written at the same time, each at 1 MB/s or more" }
n_reading = { type = "BIGINT", doc = "number of disks that were read at the same time, each at 1 MB/s or more" }
n_samples = { type = "BIGINT", doc = "number of samples in which exactly n_writing disks were written and n_reading disks were read" }
low_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "total write rate of all disks: lowest value in the samples counted in n_samples" }
p50_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "total write rate of all disks: median of the samples counted in n_samples. Over several days: median of the daily medians, weighted by samples" }
high_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "total write rate of all disks: highest value in the samples counted in n_samples" }
low_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "total read rate of all disks: lowest value in the samples counted in n_samples" }
p50_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "total read rate of all disks: median of the samples counted in n_samples. Over several days: median of the daily medians, weighted by samples" }
high_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "total read rate of all disks: highest value in the samples counted in n_samples" }
*/
WITH ranked AS (
    SELECT *, sum(n_samples) OVER (w ORDER BY p50_write_mb_s, day) AS write_upto,
           sum(n_samples) OVER (w ORDER BY p50_read_mb_s, day) AS read_upto, sum(n_samples) OVER w AS n_all
    FROM gold.disk_concurrency WHERE day BETWEEN $first_day AND $last_day
    WINDOW w AS (PARTITION BY host, tool, n_writing, n_reading)
)
SELECT host, tool, n_writing, n_reading, CAST(sum(n_samples) AS BIGINT) AS n_samples,
       min(low_write_mb_s) AS low_write_mb_s, min(p50_write_mb_s) FILTER (2 * write_upto >= n_all) AS p50_write_mb_s,
       max(high_write_mb_s) AS high_write_mb_s, min(low_read_mb_s) AS low_read_mb_s,
       min(p50_read_mb_s) FILTER (2 * read_upto >= n_all) AS p50_read_mb_s, max(high_read_mb_s) AS high_read_mb_s
FROM ranked
GROUP BY host, tool, n_writing, n_reading
ORDER BY host, tool, n_writing, n_reading
