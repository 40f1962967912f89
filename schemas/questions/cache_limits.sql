/*
title = "Blocks of a cache against its open files"
topic = "pools"
why = "A cache of few large blocks runs out of room, or of files that may be open, at different loads: which of the two limits binds, and how many blocks an open file has."
takes = ["first_day", "last_day"]

[columns]
host = { type = "VARCHAR", doc = "host of the cache" }
n_samples = { type = "BIGINT", doc = "samples that tell of both" }
blocks_total = { type = "BIGINT", doc = "blocks of the cache, of the newest" }
files_total = { type = "BIGINT", doc = "files that may be open at once, likewise" }
blocks_a_file = { type = "DOUBLE", doc = "blocks in use for each open file, all samples together; NULL where none was open" }
blocks_a_place = { type = "DOUBLE", doc = "blocks of the cache for each file that may be open" }
blocks_high = { type = "DOUBLE", unit = "1", doc = "highest share of the blocks in use" }
files_high = { type = "DOUBLE", unit = "1", doc = "highest share of the files open" }
blocks_out = { type = "DOUBLE", unit = "1", doc = "share of the samples without a free block" }
files_out = { type = "DOUBLE", unit = "1", doc = "share of the samples in which no further file could be opened" }
binding_limit = { type = "VARCHAR", was = "nearer", doc = "the limit that was come nearer to: blocks (larger or more of them) or files (more may be open); neither if both are alike" }
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
