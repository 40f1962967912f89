/*
title = "Time of tape motion by distance"
topic = "mounts"
why = "Shows how long a drive takes to wind the tape from one file to the next that it reads, by the number of files in between. These numbers are grouped in classes: 0, 1, 2-3, 4-7, 8-15 and so on."
takes = ["first_day", "last_day", "drive"]

[columns]
generation = { type = "VARCHAR", doc = "technology of the drive; NULL where site.toml does not name it" }
is_back = { type = "BOOLEAN", doc = "true for motions back to an earlier file or to the start of the same file, false for motions forward" }
from_files = { type = "BIGINT", doc = "smallest number of passed files in the class: 0, 1, 2, 4, 8 and so on" }
n_moves = { type = "BIGINT", doc = "number of tape motions in the class" }
mean_s = { type = "DOUBLE", unit = "s", doc = "mean time of a tape motion in the class" }
max_s = { type = "DOUBLE", unit = "s", doc = "longest time of a tape motion in the class" }
passed_gb = { type = "DOUBLE", unit = "GB", doc = "estimated mean amount of data passed in one motion" }
*/
SELECT generation, is_back, from_files, CAST(sum(n_moves) AS BIGINT) AS n_moves,
       sum(position_s) / sum(n_moves) AS mean_s, max(max_s) AS max_s,
       sum(passed_gb * n_moves) / sum(n_moves) FILTER (passed_gb IS NOT NULL) AS passed_gb
FROM gold.seek_distance
WHERE day BETWEEN $first_day AND $last_day AND $drive IN ('', drive)
GROUP BY generation, is_back, from_files
ORDER BY generation, is_back, from_files
