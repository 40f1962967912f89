/*
title = "Write bursts of spools"
topic = "host"
why = "The page cache of a spool is written to disk in bursts. This shows how frequent, how long and how large the bursts are. Bursts that saturate the disks block reads."
takes = ["first_day", "last_day"]

[columns]
host = { type = "VARCHAR", doc = "host" }
n_bursting = { type = "BIGINT", doc = "number of hours in which bursts of writes were found" }
period_s = { type = "DOUBLE", unit = "s", doc = "usual time from the start of one burst to the start of the next. Computed per hour; median over the hours with bursts" }
on_s = { type = "DOUBLE", unit = "s", doc = "median length of a burst. Computed per hour; median over the hours with bursts" }
amplitude_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "write rate within bursts: 95th percentile of the write rates above 1 MB/s. Computed per hour; median over the hours with bursts" }
mean_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average write rate over bursts and the pauses between them. Computed per hour; median over the hours with bursts" }
implied_cache_gb = { type = "DOUBLE", unit = "GB", doc = "estimated size of the page cache, if each burst flushes a tenth of the cache. Computed per hour; median over the hours with bursts" }
*/
SELECT host, count(*) AS n_bursting, median(period_s) AS period_s, median(on_s) AS on_s,
       median(amplitude_mb_s) AS amplitude_mb_s, median(mean_mb_s) AS mean_mb_s, median(implied_cache_gb) AS implied_cache_gb
FROM gold.flush_pattern
WHERE day BETWEEN $first_day AND $last_day AND verdict = 'burst'
GROUP BY host
ORDER BY host
