/*
title = "Positions of the files on a tape"
topic = "tapes"
why = "The tape that a recall of some files must pass."

[params.volume]
type = "VARCHAR"
doc = "tape label"

[columns]
system = { type = "VARCHAR", doc = "archive system" }
file_number = { type = "BIGINT", doc = "number of the file on the tape" }
begin_gb = { type = "DOUBLE", unit = "GB", doc = "known bytes before the file" }
end_gb = { type = "DOUBLE", unit = "GB", doc = "known bytes up to its end" }
n_lacking = { type = "BIGINT", doc = "unknown file numbers below the highest one; files after them are further along the tape than shown" }
generation = { type = "VARCHAR", doc = "technology of the last drive that had the tape" }
*/
WITH had AS (
    SELECT t.system, t.volume, arg_max(d.generation, t.started_at) AS generation
    FROM silver.transfer t JOIN site.drive d ON d.drive = t.drive WHERE t.volume = $volume
    GROUP BY t.system, t.volume
)
SELECT f.system, f.file_number, (sum(f.bytes) OVER files - f.bytes) / 1e9 AS begin_gb,
       sum(f.bytes) OVER files / 1e9 AS end_gb,
       max(f.file_number) OVER (PARTITION BY f.system) - count(*) OVER (PARTITION BY f.system) AS n_lacking,
       h.generation
FROM silver.volume_file f LEFT JOIN had h ON h.system = f.system AND h.volume = f.volume
WHERE f.volume = $volume
WINDOW files AS (PARTITION BY f.system ORDER BY f.file_number)
ORDER BY f.system, f.file_number
