/*
title = "Flush pattern of spools"
topic = "host"
why = "How often, how long and how much spools flush; bursts that saturate the disks stop reads from them."
takes = ["first_day", "last_day"]

[columns]
host = { type = "VARCHAR", doc = "host" }
n_bursting = { type = "BIGINT", doc = "hours with bursts" }
period_s = { type = "DOUBLE", unit = "s", doc = "median time from burst to burst" }
on_s = { type = "DOUBLE", unit = "s", doc = "median length of a burst" }
amplitude_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median of the hours' peaks" }
mean_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median rate while the pattern lasts" }
implied_cache_gb = { type = "DOUBLE", unit = "GB", doc = "a hypothesis: the cache of which a burst is a tenth; median" }
*/
SELECT host, count(*) AS n_bursting, median(period_s) AS period_s, median(on_s) AS on_s,
       median(amplitude_mb_s) AS amplitude_mb_s, median(mean_mb_s) AS mean_mb_s, median(implied_cache_gb) AS implied_cache_gb
FROM gold.flush_pattern
WHERE day BETWEEN $first_day AND $last_day AND verdict = 'burst'
GROUP BY host
ORDER BY host
