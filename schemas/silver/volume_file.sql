/*
title = "Files on each volume"
grain = "one row per file on a volume, if a transfer, an export of the file table or a list of the volume's files shows the file. Files that the file table shows as deleted are left out"
why = "Lists the files that a complete read of a tape must cover. Without an export or list, only files that appear in logs are known."
lineage = []

[columns]
system = { type = "VARCHAR", doc = "archive system" }
volume = { type = "VARCHAR", doc = "tape label" }
file_number = { type = "BIGINT", doc = "number of the file on the volume" }
bytes = { type = "BIGINT", unit = "bytes", doc = "size of the file on tape: the largest size in its successful transfers; if there are none, the size of the user's file in the file table or list" }
path = { type = "VARCHAR", doc = "path of the file in the name space, from an export of the file table or a list of the volume's files. For CTA, the path in the URL of the transfer. NULL where no path is known" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "volume", "file_number"]
severity = "critical"
*/
WITH moved AS (
    SELECT system, volume, file_number, max(bytes) AS bytes
    FROM silver.transfer
    WHERE status = 'ok' AND volume IS NOT NULL AND file_number IS NOT NULL
    GROUP BY system, volume, file_number
),
url AS (
    SELECT system, volume, file_seq AS file_number,
           '/' || regexp_replace(arg_max(disk_url, (logged_at, file_id, line_no)), '^\w+://[^/]*/*|[?#].*$', '', 'g') AS path
    FROM bronze.cta_file WHERE disk_url IS NOT NULL AND volume IS NOT NULL AND file_seq IS NOT NULL
    GROUP BY system, volume, file_seq
),
label AS (
    SELECT system, volume_number, arg_max(volume, (recorded_at, volume)) AS volume
    FROM bronze.enstore_accounting_volume WHERE volume_number IS NOT NULL GROUP BY system, volume_number
),
listed AS (
    -- a recycled cartridge has new files under old numbers: the youngest counts. A file that one export shows as deleted is deleted
    SELECT f.system, coalesce(f.volume, l.volume) AS volume, f.file_number,
           arg_max(f.file_bytes, (f.written_at, f.bfid)) AS bytes, arg_max(f.pnfs_path, (f.written_at, f.bfid)) AS path,
           max((f.written_at, f.bfid)) AS youngest,
           max((f.written_at, f.bfid)) FILTER (f.state = 'y') AS deleted
    FROM bronze.enstore_accounting_file f
    LEFT JOIN label l ON l.system = f.system AND l.volume_number = f.volume_number
    WHERE f.file_number IS NOT NULL AND coalesce(f.volume, l.volume) IS NOT NULL
    GROUP BY f.system, coalesce(f.volume, l.volume), f.file_number
)
SELECT coalesce(m.system, l.system) AS system, coalesce(m.volume, l.volume) AS volume,
       coalesce(m.file_number, l.file_number) AS file_number, coalesce(m.bytes, l.bytes) AS bytes, coalesce(l.path, u.path) AS path
FROM moved m FULL JOIN listed l
    ON l.system = m.system AND l.volume = m.volume AND l.file_number = m.file_number
LEFT JOIN url u ON u.system = m.system AND u.volume = m.volume AND u.file_number = m.file_number
WHERE l.deleted IS DISTINCT FROM l.youngest OR l.youngest IS NULL
