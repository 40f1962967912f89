/*
title = "Time to wind to the next file, by distance"
grain = "one row per site day, drive, direction (forward or back) and distance class; only motions between two files that a mount read one after the other count"
why = "Shows how long a drive takes to wind to the next file, by the number of files in between. Files far apart in number may be close on the tape, because a serpentine tape turns many times from end to end."
partition = "month"
features = ["D10", "P32", "P34", "P35"]

[columns]
day = { type = "DATE", doc = "site day on which the motion began" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive" }
generation = { type = "VARCHAR", doc = "technology of the drive; NULL where site.toml does not name it" }
from_files = { type = "BIGINT", doc = "smallest number of passed files in the row's distance class; the classes are 0, 1, 2-3, 4-7, 8-15 and so on" }
is_back = { type = "BOOLEAN", doc = "true for motions back to an earlier file or to the start of the same file, false for motions forward" }
n_moves = { type = "BIGINT", doc = "number of steps from one file to the next in this class. A step in which the tape did not move counts as a motion of 0 s" }
position_s = { type = "DOUBLE", unit = "s", doc = "duration of all motions of this class together" }
mean_s = { type = "DOUBLE", unit = "s", doc = "mean duration of one motion of this class" }
p50_s = { type = "DOUBLE", unit = "s", doc = "median duration of one motion of this class" }
max_s = { type = "DOUBLE", unit = "s", doc = "duration of the longest motion of this class" }
passed_gb = { type = "DOUBLE", unit = "GB", doc = "estimated mean amount of data passed in one motion: mean number of files passed x mean size of the files read before and after the motions" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "system", "drive", "from_files", "is_back"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "position_s"
min_value = 0
severity = "critical"
*/
-- one join after the other: both files have the gap's system, and joined by that alone they are all pairs there are
WITH followed AS MATERIALIZED (
    SELECT g.system, g.drive, g.gap_id, g.started_at, g.position_s, a.file_number, a.bytes
    FROM silver.gap g JOIN silver.transfer a ON a.system = g.system AND a.transfer_id = g.next_transfer_id
    WHERE g.mode = 'read' AND a.mode = 'read'
),
move AS (
    SELECT site_day(g.started_at, c.zone) AS day, g.system, g.drive,
           g.file_number - b.file_number - 1 AS distance, CAST(round(1e6 * g.position_s) AS BIGINT) AS us,
           g.bytes + b.bytes AS two_bytes
    FROM followed g JOIN silver.transfer b ON b.system = g.system AND b.transfer_id = g.gap_id CROSS JOIN site.setting c
),
classed AS (
    -- back to the same file: no file is passed, only the part of it that was read
    SELECT *, distance < 0 AS is_back, CASE WHEN distance < 0 THEN -distance - 1 ELSE distance END AS passed FROM move
    WHERE distance IS NOT NULL
)
SELECT k.day, k.system, k.drive, any_value(d.generation) AS generation,
       CASE WHEN k.passed = 0 THEN 0 ELSE CAST(pow(2, floor(log2(k.passed))) AS BIGINT) END AS from_files, k.is_back,
       count(*) AS n_moves, sum(k.us) / 1e6 AS position_s, sum(k.us) / 1e6 / count(*) AS mean_s,
       median(k.us) / 1e6 AS p50_s, max(k.us) / 1e6 AS max_s,
       CAST(sum(k.passed) AS DOUBLE) / count(*) * sum(k.two_bytes) / 2 / count(*) / 1e9 AS passed_gb
FROM classed k LEFT JOIN site.drive d ON d.drive = k.drive
GROUP BY k.day, k.system, k.drive, 5, k.is_back
