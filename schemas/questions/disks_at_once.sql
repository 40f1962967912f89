/*
title = "Rates of a host's disks by how many are read and written at once"
topic = "host"
why = "Total rates of a host's disks with several writes and reads at once, and how much they vary."
takes = ["first_day", "last_day"]

[columns]
host = { type = "VARCHAR", doc = "host" }
tool = { type = "VARCHAR", doc = "program that took the samples" }
n_writing = { type = "BIGINT", doc = "disks written at once, at 1 MB/s or more" }
n_reading = { type = "BIGINT", doc = "disks read at once, at 1 MB/s or more" }
n_samples = { type = "BIGINT", doc = "samples with these numbers" }
low_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "written to all disks together: lowest sample" }
p50_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median; over several days the median of the days' medians, weighted by samples" }
high_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest" }
low_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "read from all disks together: lowest sample" }
p50_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median; over several days the median of the days' medians, weighted by samples" }
high_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest" }
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
