/*
title = "Write bursts of spools"
topic = "host"
why = "How often, how long and how much the page cache of spools is flushed to disk. Bursts that saturate the disks stop reads from them."
takes = ["first_day", "last_day"]

[columns]
host = { type = "VARCHAR", doc = "host" }
n_bursting = { type = "BIGINT", doc = "hours with bursts of writes" }
period_s = { type = "DOUBLE", unit = "s", doc = "median time from the start of one burst to the next" }
on_s = { type = "DOUBLE", unit = "s", doc = "median length of a burst" }
amplitude_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median of the hourly peak rates" }
mean_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate over bursts and the pauses between them, median of the hours" }
implied_cache_gb = { type = "DOUBLE", unit = "GB", doc = "page cache that would explain the bursts if each flushes a tenth of it, median; a hypothesis, not a measurement" }
*/
SELECT host, count(*) AS n_bursting, median(period_s) AS period_s, median(on_s) AS on_s,
       median(amplitude_mb_s) AS amplitude_mb_s, median(mean_mb_s) AS mean_mb_s, median(implied_cache_gb) AS implied_cache_gb
FROM gold.flush_pattern
WHERE day BETWEEN $first_day AND $last_day AND verdict = 'burst'
GROUP BY host
ORDER BY host
