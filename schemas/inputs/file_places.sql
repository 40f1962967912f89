/*
title = "Positions on tape of the files that were read"
why = "Lists the positions of files on tape, for the simulation that replays recorded reads under other mount policies. A file that no log or list shows counts with the mean size of the known files on its tape."
takes = ["last_day"]

[params.n_days]
type = "BIGINT"
default = "7"
doc = "number of site days in the period that ends with last_day"

[columns]
system = { type = "VARCHAR", doc = "archive system" }
volume = { type = "VARCHAR", doc = "tape label" }
file_number = { type = "BIGINT", doc = "number of the file on the tape" }
begin_gb = { type = "DOUBLE", unit = "GB", doc = "data on the tape before the file" }
end_gb = { type = "DOUBLE", unit = "GB", doc = "data on the tape up to the end of the file" }
*/
WITH asked AS (
    SELECT DISTINCT system, volume, file_number
    FROM silver.transfer
    WHERE mode = 'read' AND volume IS NOT NULL AND file_number IS NOT NULL
      AND near_days(day, $last_day - CAST($n_days AS INTEGER), $last_day + 1)
),
placed AS (
    SELECT system, volume, file_number, bytes,
           sum(bytes) OVER files AS known_bytes, count(*) OVER files AS n_known,
           avg(bytes) OVER (PARTITION BY system, volume) AS mean_bytes
    FROM silver.volume_file SEMI JOIN asked USING (system, volume)
    WINDOW files AS (PARTITION BY system, volume ORDER BY file_number)
)
SELECT system, volume, file_number,
       (known_bytes - bytes + mean_bytes * (file_number - n_known)) / 1e9 AS begin_gb,
       (known_bytes + mean_bytes * (file_number - n_known)) / 1e9 AS end_gb
FROM placed SEMI JOIN asked USING (system, volume, file_number)
ORDER BY system, volume, file_number
