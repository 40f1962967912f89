/*
title = "Reads of files from tape, in order of time"
why = "Shows which file was read from tape and when, to compute how many of these reads a disk buffer of a given size would have saved. Client reads of files that were already on disk are not included."
takes = ["last_day", "group"]

[params.n_days]
type = "BIGINT"
default = "28"
doc = "number of site days in the period that ends with last_day"

[params.n_most]
type = "BIGINT"
default = "1000000"
doc = "maximum number of reads for each kind of log; only the newest reads are returned"

[columns]
witness = { type = "VARCHAR", doc = "log that shows the read. drives: complete reads of files, identified by their position on tape. pools: completed restores, identified by pnfsid (dCache's identifier of a file). One read may occur in both logs" }
system = { type = "VARCHAR", doc = "archive system" }
file = { type = "VARCHAR", doc = "identity of the file, as `volume:number:bytes` (logs of drives) or `pnfsid:bytes` (records of pools). A different size means another file" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment; NULL where no log records it" }
file_family = { type = "VARCHAR", doc = "file family: files that share tapes, e.g. one data set; NULL where no log records it" }
bytes = { type = "BIGINT", unit = "bytes", doc = "size of the file on tape (logs of drives) or in the pool (records of pools)" }
read_at = { type = "TIMESTAMP", doc = "time of the file's first block (logs of drives) or of the restore request (records of pools)" }
day = { type = "DATE", doc = "site day of read_at" }
*/
WITH recorded AS (
    SELECT 'drives' AS witness, system, concat_ws(':', volume, file_number, bytes) AS file, storage_group, file_family,
           bytes, started_at AS read_at
    FROM silver.transfer
    WHERE mode = 'read' AND status = 'ok' AND volume IS NOT NULL AND file_number IS NOT NULL AND bytes IS NOT NULL
      AND near_days(day, $last_day - CAST($n_days AS INTEGER) + 1, $last_day)
    UNION ALL
    SELECT 'pools', system, concat_ws(':', pnfsid, bytes), storage_group, file_family, bytes, created_at
    FROM silver.pool_request
    WHERE operation = 'restore' AND outcome = 'done' AND pnfsid IS NOT NULL AND bytes IS NOT NULL
      AND near_days(day, $last_day - CAST($n_days AS INTEGER) + 1, $last_day)
),
dated AS (
    SELECT t.*, site_day(t.read_at, s.zone) AS day
    FROM recorded t CROSS JOIN site.setting s
    WHERE $group IN ('', t.storage_group) AND in_days(t.read_at, $last_day - CAST($n_days AS INTEGER) + 1, $last_day, s.zone)
)
SELECT witness, system, file, storage_group, file_family, bytes, read_at, day
FROM dated
QUALIFY row_number() OVER (PARTITION BY witness ORDER BY read_at DESC, system DESC, file DESC) <= $n_most
ORDER BY witness, read_at, system, file
