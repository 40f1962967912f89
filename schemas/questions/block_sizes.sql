/*
title = "Best block size for transfers to disks and over network paths"
topic = "host"
why = "Shows the rates of timed tests by block size, and the smallest block size whose rate is close to the highest. A block size of 4 KB instead of 1 MB can lower the rate more than a slower disk does."
takes = ["host"]

[columns]
host = { type = "VARCHAR", doc = "host" }
mode = { type = "VARCHAR", doc = "mode of the tests: read, write or copy; NULL where the log file does not show the dd command of the tests" }
block_bytes = { type = "BIGINT", unit = "bytes", doc = "block size" }
n_runs = { type = "BIGINT", doc = "number of test runs with this block size that silver.benchmark_run marks as plausible. Runs whose data the host's memory could cache count too" }
low_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of the slowest test run counted in n_runs" }
p50_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median rate of the test runs counted in n_runs" }
high_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of the fastest test run counted in n_runs" }
ratio_to_best = { type = "DOUBLE", was = "of_best", unit = "1", doc = "p50_mb_s / the highest p50_mb_s of all block sizes. Only tests on the same host in the same mode are compared" }
is_advised = { type = "BOOLEAN", doc = "true for the smallest block size with a ratio_to_best of at least 0.95; NULL where only one block size was tested" }
*/
WITH tried AS (
    SELECT host, mode, block_bytes, count(*) AS n_runs, min(rate_bytes_s) / 1e6 AS low_mb_s,
           median(rate_bytes_s) / 1e6 AS p50_mb_s, max(rate_bytes_s) / 1e6 AS high_mb_s
    FROM silver.benchmark_run
    WHERE is_plausible AND block_bytes IS NOT NULL AND $host IN ('', host)
    GROUP BY host, mode, block_bytes
),
compared AS (
    SELECT *, p50_mb_s / max(p50_mb_s) OVER alike AS ratio_to_best, count(*) OVER alike AS n_sizes
    FROM tried WINDOW alike AS (PARTITION BY host, mode)
)
SELECT host, mode, block_bytes, n_runs, low_mb_s, p50_mb_s, high_mb_s, ratio_to_best,
       CASE WHEN n_sizes > 1
            THEN block_bytes = min(block_bytes) FILTER (ratio_to_best >= 0.95) OVER (PARTITION BY host, mode) END AS is_advised
FROM compared
ORDER BY host, mode NULLS LAST, block_bytes
