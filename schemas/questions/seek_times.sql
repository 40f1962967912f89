/*
title = "Time of tape motion by distance"
topic = "mounts"
why = "Shows how long a tape takes to wind to another file, depending on how many files it passes. Numbers of files are grouped into classes that start at powers of two."
takes = ["first_day", "last_day", "drive"]

[columns]
generation = { type = "VARCHAR", doc = "technology of the drive; NULL where site.toml does not name it" }
is_back = { type = "BOOLEAN", doc = "true for motion back to an earlier file, false for motion forward" }
from_files = { type = "BIGINT", doc = "lower limit of the class, in files that the tape was wound past: a power of two" }
n_moves = { type = "BIGINT", doc = "number of tape motions" }
mean_s = { type = "DOUBLE", unit = "s", doc = "mean time of a tape motion" }
max_s = { type = "DOUBLE", unit = "s", doc = "longest time of a tape motion in the class" }
passed_gb = { type = "DOUBLE", unit = "GB", doc = "mean amount of data that a tape motion passed" }
*/
SELECT generation, is_back, from_files, CAST(sum(n_moves) AS BIGINT) AS n_moves,
       sum(position_s) / sum(n_moves) AS mean_s, max(max_s) AS max_s,
       sum(passed_gb * n_moves) / sum(n_moves) FILTER (passed_gb IS NOT NULL) AS passed_gb
FROM gold.seek_distance
WHERE day BETWEEN $first_day AND $last_day AND $drive IN ('', drive)
GROUP BY generation, is_back, from_files
ORDER BY generation, is_back, from_files
