/*
title = "Time to reach the next file, by distance, over a period"
topic = "mounts"
why = "The time to reach a file further along the tape, by files passed in powers of two."
takes = ["first_day", "last_day", "drive"]

[columns]
generation = { type = "VARCHAR", doc = "technology; NULL where site.toml does not name it" }
is_back = { type = "BOOLEAN", doc = "true for motion towards earlier files" }
from_files = { type = "BIGINT", doc = "least distance of the class: files passed, in powers of two" }
n_moves = { type = "BIGINT", doc = "motions" }
mean_s = { type = "DOUBLE", unit = "s", doc = "of one motion" }
max_s = { type = "DOUBLE", unit = "s", doc = "longest" }
passed_gb = { type = "DOUBLE", unit = "GB", doc = "mean distance" }
*/
SELECT generation, is_back, from_files, CAST(sum(n_moves) AS BIGINT) AS n_moves,
       sum(position_s) / sum(n_moves) AS mean_s, max(max_s) AS max_s,
       sum(passed_gb * n_moves) / sum(n_moves) FILTER (passed_gb IS NOT NULL) AS passed_gb
FROM gold.seek_distance
WHERE day BETWEEN $first_day AND $last_day AND $drive IN ('', drive)
GROUP BY generation, is_back, from_files
ORDER BY generation, is_back, from_files
