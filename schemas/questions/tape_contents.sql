/*
title = "Positions of the files on a tape"
topic = "tapes"
why = "Shows where each known file is on the tape, and thus which part of the tape the drive must pass to recall certain files."

[params.volume]
type = "VARCHAR"
doc = "tape label"

[columns]
system = { type = "VARCHAR", doc = "archive system" }
file_number = { type = "BIGINT", doc = "position of the file on the tape, counted in files" }
begin_gb = { type = "DOUBLE", unit = "GB", doc = "start of the file on the tape: sum of the known sizes of the files before this file" }
end_gb = { type = "DOUBLE", unit = "GB", doc = "end of the file on the tape: sum of the known sizes of this file and of the files before it" }
n_lacking = { type = "BIGINT", doc = "number of missing files before the tape's last known file: deleted, or not in any log or list. Files after a missing file are further along the tape than begin_gb and end_gb show" }
generation = { type = "VARCHAR", doc = "technology of the drive in which a file of the tape was last read or written" }
*/
WITH had AS (
    SELECT t.system, t.volume, arg_max(d.generation, t.started_at) AS generation
    FROM silver.transfer t JOIN site.drive d ON d.drive = t.drive WHERE t.volume = $volume
    GROUP BY t.system, t.volume
)
SELECT f.system, f.file_number, coalesce(sum(f.bytes) OVER files - coalesce(f.bytes, 0), 0) / 1e9 AS begin_gb,
       coalesce(sum(f.bytes) OVER files, 0) / 1e9 AS end_gb,
       max(f.file_number) OVER (PARTITION BY f.system) - count(*) OVER (PARTITION BY f.system) AS n_lacking,
       h.generation
FROM silver.volume_file f LEFT JOIN had h ON h.system = f.system AND h.volume = f.volume
WHERE f.volume = $volume
WINDOW files AS (PARTITION BY f.system ORDER BY f.file_number)
ORDER BY f.system, f.file_number
