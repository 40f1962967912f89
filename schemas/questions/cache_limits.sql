/*
title = "Limits of a disk cache: blocks and open files"
topic = "pools"
why = "A disk cache has a fixed number of blocks, and a limit on the number of open files. This shows which of the two limits was nearer, and how many blocks an open file uses."
takes = ["first_day", "last_day"]

[columns]
host = { type = "VARCHAR", doc = "host of the disk cache" }
n_samples = { type = "BIGINT", doc = "number of samples of the cache that show both blocks and open files" }
blocks_total = { type = "BIGINT", doc = "number of blocks in the cache, used and free, from the newest sample" }
files_total = { type = "BIGINT", doc = "number of files that the cache allows to be open at once, from the newest sample" }
blocks_a_file = { type = "DOUBLE", doc = "blocks in use / open files, over all samples; NULL where no file was open" }
blocks_a_place = { type = "DOUBLE", doc = "number of blocks for each file if as many files are open as the cache allows: blocks_total / files_total" }
blocks_high = { type = "DOUBLE", unit = "1", doc = "blocks in use / blocks in the cache, in the sample in which this share is highest" }
files_high = { type = "DOUBLE", unit = "1", doc = "open files / files that may be open, in the sample in which this share is highest" }
blocks_out = { type = "DOUBLE", unit = "1", doc = "share of the samples in which no block was free" }
files_out = { type = "DOUBLE", unit = "1", doc = "share of the samples in which no further file could be opened" }
binding_limit = { type = "VARCHAR", was = "nearer", doc = "limit that was approached more closely. blocks: larger or more blocks would help. files: a higher limit on open files would help. neither: both limits were equally close" }
*/
WITH known AS (
    SELECT a.*, a.blocks_total - a.blocks_free AS blocks, a.files_total - a.files_free AS files
    FROM silver.cache_sample a CROSS JOIN site.setting c
    WHERE near_days(a.day, $first_day, $last_day)
      AND in_days(a.sampled_at, $first_day, $last_day, c.zone)
      AND a.blocks_total > 0 AND a.files_total > 0 AND a.blocks_free IS NOT NULL AND a.files_free IS NOT NULL
),
summed AS (
    SELECT host, count(*) AS n_samples, arg_max(blocks_total, sampled_at) AS blocks_total,
           arg_max(files_total, sampled_at) AS files_total, sum(blocks) / nullif(sum(files), 0) AS blocks_a_file,
           max(blocks / blocks_total) AS blocks_high, max(files / files_total) AS files_high,
           count(*) FILTER (blocks_free = 0) / count(*) AS blocks_out,
           count(*) FILTER (files_free = 0) / count(*) AS files_out
    FROM known GROUP BY host
)
SELECT host, n_samples, blocks_total, files_total, blocks_a_file, blocks_total / files_total AS blocks_a_place,
       blocks_high, files_high, blocks_out, files_out,
       CASE WHEN blocks_high > files_high THEN 'blocks' WHEN files_high > blocks_high THEN 'files' ELSE 'neither' END
           AS binding_limit
FROM summed
ORDER BY greatest(blocks_high, files_high) DESC, host
