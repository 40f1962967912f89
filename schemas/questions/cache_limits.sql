/*
title = "Cache limits: blocks and open files"
topic = "pools"
why = "A cache of few large blocks runs out of room or of open files at different loads. This shows which limit is closer, and the blocks per open file."
takes = ["first_day", "last_day"]

[columns]
host = { type = "VARCHAR", doc = "host of the cache" }
n_samples = { type = "BIGINT", doc = "samples with both" }
blocks_total = { type = "BIGINT", doc = "blocks of the cache, from the newest sample" }
files_total = { type = "BIGINT", doc = "limit of open files, from the newest sample" }
blocks_a_file = { type = "DOUBLE", doc = "blocks in use per open file, over all samples; NULL where no file was open" }
blocks_a_place = { type = "DOUBLE", doc = "blocks of the cache per file of the limit" }
blocks_high = { type = "DOUBLE", unit = "1", doc = "highest share of the blocks in use" }
files_high = { type = "DOUBLE", unit = "1", doc = "highest share of the files open" }
blocks_out = { type = "DOUBLE", unit = "1", doc = "share of the samples without a free block" }
files_out = { type = "DOUBLE", unit = "1", doc = "share of the samples in which no further file could be opened" }
binding_limit = { type = "VARCHAR", was = "nearer", doc = "the closer limit: blocks (use larger or more blocks) or files (allow more open files); neither if both are equal" }
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
