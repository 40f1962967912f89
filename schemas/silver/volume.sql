/*
title = "Volumes"
grain = "one row per volume that an export of the volume table lists"
why = "What tapes hold and whose they are, as the newest export has it."
lineage = ["file_id", "line_no"]
features = ["R3"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
volume = { type = "VARCHAR", doc = "tape label" }
storage_group = { type = "VARCHAR", doc = "storage group it is kept for" }
file_family = { type = "VARCHAR", doc = "file family" }
library = { type = "VARCHAR", doc = "library" }
media_type = { type = "VARCHAR", doc = "kind of cartridge" }
capacity_bytes = { type = "BIGINT", unit = "bytes", doc = "capacity" }
remaining_bytes = { type = "BIGINT", unit = "bytes", doc = "space left" }
active_bytes = { type = "BIGINT", unit = "bytes", doc = "files not deleted" }
deleted_bytes = { type = "BIGINT", unit = "bytes", doc = "deleted files, which still take room" }
is_blank = { type = "BOOLEAN", doc = "nothing was ever written to it" }
recorded_at = { type = "TIMESTAMP", doc = "the record's last change or use known" }
file_id = { type = "VARCHAR", doc = "file the row comes from" }
line_no = { type = "BIGINT", doc = "that line" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "volume"]
severity = "critical"
*/
SELECT system, volume, storage_group, file_family, library, media_type, capacity_bytes, remaining_bytes, active_bytes,
       deleted_bytes, coalesce(end_file_number, 1) <= 1 AS is_blank, recorded_at, file_id, line_no
FROM bronze.enstore_accounting_volume
WHERE volume IS NOT NULL
QUALIFY row_number() OVER (
    PARTITION BY system, volume ORDER BY recorded_at DESC NULLS LAST, end_file_number DESC NULLS LAST, file_id, line_no
) = 1
