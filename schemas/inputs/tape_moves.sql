/*
title = "Tape motions between two files"
why = "Lists the data to which the seek model is fitted: the positions between which the tape was wound, and the duration of the winding. Only motions between two reads are included. The tape's files must all be known, and site.toml must name the drive's technology."
takes = ["last_day"]

[params.n_days]
type = "BIGINT"
default = "28"
doc = "number of site days in the period that ends with last_day"

[columns]
generation = { type = "VARCHAR", doc = "technology of the drive" }
session_id = { type = "VARCHAR", doc = "identifier of the mount" }
volume = { type = "VARCHAR", doc = "tape label" }
from_gb = { type = "DOUBLE", unit = "GB", doc = "position of the end of the previous file, counted from the first byte of the tape" }
to_gb = { type = "DOUBLE", unit = "GB", doc = "position of the start of the next file, counted from the first byte of the tape" }
position_s = { type = "DOUBLE", unit = "s", doc = "duration of the tape motion between the two files" }
*/
WITH placed AS (
    SELECT system, volume, file_number, bytes, count(bytes) OVER tape AS n_known, max(file_number) OVER tape AS n_files,
           sum(bytes) OVER (PARTITION BY system, volume ORDER BY file_number) AS end_bytes
    FROM silver.volume_file
    WINDOW tape AS (PARTITION BY system, volume)
),
followed AS MATERIALIZED (  -- one join after the other, as in gold.seek_distance
    SELECT g.system, g.session_id, g.volume, g.drive, g.gap_id, g.started_at, g.position_s, a.file_number
    FROM silver.gap g
    JOIN silver.transfer a ON a.system = g.system AND a.transfer_id = g.next_transfer_id
        AND a.day >= $last_day - CAST($n_days AS INTEGER)
    CROSS JOIN site.setting c
    WHERE g.mode = 'read' AND a.mode = 'read'
      AND near_days(g.day, $last_day - CAST($n_days AS INTEGER) + 1, $last_day)
      AND in_days(g.started_at, $last_day - CAST($n_days AS INTEGER) + 1, $last_day, c.zone)
)
SELECT d.generation, g.session_id, g.volume, p.end_bytes / 1e9 AS from_gb, (n.end_bytes - n.bytes) / 1e9 AS to_gb,
       g.position_s
FROM followed g
JOIN silver.transfer b ON b.system = g.system AND b.transfer_id = g.gap_id
    AND near_days(b.day, $last_day - CAST($n_days AS INTEGER) - 7, $last_day)  -- a file takes less than a week
JOIN placed p ON p.system = g.system AND p.volume = g.volume AND p.file_number = b.file_number
JOIN placed n ON n.system = g.system AND n.volume = g.volume AND n.file_number = g.file_number
JOIN site.drive d ON d.drive = g.drive
WHERE p.n_known = p.n_files AND d.generation IS NOT NULL
ORDER BY d.generation, g.session_id, g.started_at, g.gap_id
