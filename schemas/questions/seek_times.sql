/*
title = "Time of tape motion by distance"
topic = "mounts"
why = "How long the tape takes to wind to another file, by the number of files passed, in powers of two."
takes = ["first_day", "last_day", "drive"]

[columns]
generation = { type = "VARCHAR", doc = "technology of the drive; NULL where site.toml does not name it" }
is_back = { type = "BOOLEAN", doc = "true for motion back to an earlier file" }
from_files = { type = "BIGINT", doc = "smallest number of files passed in the class; classes are powers of two" }
n_moves = { type = "BIGINT", doc = "number of tape motions" }
mean_s = { type = "DOUBLE", unit = "s", doc = "mean time of a tape motion" }
max_s = { type = "DOUBLE", unit = "s", doc = "longest time of a tape motion" }
passed_gb = { type = "DOUBLE", unit = "GB", doc = "mean amount of data passed in a tape motion" }
*/
SELECT generation, is_back, from_files, CAST(sum(n_moves) AS BIGINT) AS n_moves,
       sum(position_s) / sum(n_moves) AS mean_s, max(max_s) AS max_s,
       sum(passed_gb * n_moves) / sum(n_moves) FILTER (passed_gb IS NOT NULL) AS passed_gb
FROM gold.seek_distance
WHERE day BETWEEN $first_day AND $last_day AND $drive IN ('', drive)
GROUP BY generation, is_back, from_files
ORDER BY generation, is_back, from_files
