/*
title = "Reads of files, in their order"
why = "Which file was fetched from tape and when, to compute what a buffer of any size would have caught. It has only files that the present disks did not hold."
takes = ["last_day", "group"]

[params.n_days]
type = "BIGINT"
default = "28"
doc = "number of site days, up to last_day"

[params.n_most]
type = "BIGINT"
default = "1000000"
doc = "most reads of each kind of log, the newest"

[columns]
witness = { type = "VARCHAR", doc = "log that has it: drives (completely read files, identified by their place on a tape) or pools (completed restores, identified by dCache's name of the file). One read may be in both" }
system = { type = "VARCHAR", doc = "archive system" }
file = { type = "VARCHAR", doc = "identity of the file: drives volume:number:bytes, pools pnfsid:bytes. A different size means a different file with the same number" }
storage_group = { type = "VARCHAR", doc = "storage group; NULL where no log records it" }
file_family = { type = "VARCHAR", doc = "file family; NULL where no log records it" }
bytes = { type = "BIGINT", unit = "bytes", doc = "size of the file: for drives on tape, for pools in the pool" }
read_at = { type = "TIMESTAMP", doc = "when: for drives the first block, for pools the request for the restore" }
day = { type = "DATE", doc = "site day of read_at" }
*/
WITH told AS (
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
    FROM told t CROSS JOIN site.setting s
    WHERE $group IN ('', t.storage_group)
)
SELECT witness, system, file, storage_group, file_family, bytes, read_at, day
FROM dated
WHERE day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day
QUALIFY row_number() OVER (PARTITION BY witness ORDER BY read_at DESC, system DESC, file DESC) <= $n_most
ORDER BY witness, read_at, system, file
