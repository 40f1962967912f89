/*
title = "Where the files of a tape lie"
topic = "tapes"
why = "What a recall of some of them has to pass over."

[params.volume]
type = "VARCHAR"
doc = "tape label"

[columns]
system = { type = "VARCHAR", doc = "archive system" }
file_number = { type = "BIGINT", doc = "number of the file on the tape" }
begin_gb = { type = "DOUBLE", unit = "GB", doc = "known bytes before it" }
end_gb = { type = "DOUBLE", unit = "GB", doc = "the same with it" }
n_lacking = { type = "BIGINT", doc = "numbers below the tape's highest of which no file is known: what lies behind them is further along than told" }
generation = { type = "VARCHAR", doc = "technology of the drives that had the tape; the last that did" }
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
