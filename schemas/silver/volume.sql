/*
title = "Tapes in the archive's lists"
grain = "one row per volume (tape) in an export of Enstore's volume table or in CTA's tape ls"
why = "Shows how much data each tape holds, and which storage group and file family the tape belongs to. The source is the newest list of tapes."
lineage = ["file_id", "line_no"]
features = ["R3"]

[columns]
system = { type = "VARCHAR", doc = "archive system. For CTA, the system in the output of `tape ls`. If the output has no system: the system that site.toml gives for this input, otherwise the site's only CTA system; empty if the site has several" }
volume = { type = "VARCHAR", doc = "tape label" }
storage_group = { type = "VARCHAR", doc = "storage group (owner of the files, e.g. an experiment) to which the tape belongs; for CTA the virtual organisation" }
file_family = { type = "VARCHAR", doc = "file family (files that share tapes, e.g. one data set) of the tape; for CTA the tape pool" }
library = { type = "VARCHAR", doc = "library" }
media_type = { type = "VARCHAR", doc = "type of the cartridge, e.g. LTO8, as the archive names it" }
capacity_bytes = { type = "BIGINT", unit = "bytes", doc = "capacity of the tape" }
remaining_bytes = { type = "BIGINT", unit = "bytes", doc = "free space on the volume" }
active_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes of files on the tape that are not deleted" }
deleted_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes of deleted files, which still take up space on the tape" }
is_blank = { type = "BOOLEAN", doc = "true if the tape has no files, not even deleted ones" }
recorded_at = { type = "TIMESTAMP", doc = "last change or use of the volume that the archive recorded; for CTA, when tape ls listed the volume" }
file_id = { type = "VARCHAR", doc = "file from which the row was made" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "volume"]
severity = "critical"
*/
WITH named AS (
    -- older releases of tape ls name no instance: it is the site's, if that has only one
    SELECT min(system) AS name
    FROM (SELECT system FROM bronze.cta_session UNION ALL SELECT system FROM bronze.cta_drive_poll)
    WHERE system <> '' HAVING count(DISTINCT system) = 1
),
listed AS (
    SELECT system, volume, storage_group, file_family, library, media_type, capacity_bytes, remaining_bytes, active_bytes,
           deleted_bytes, end_file_number, recorded_at, file_id, line_no
    FROM bronze.enstore_accounting_volume
    WHERE volume IS NOT NULL
    UNION ALL
    SELECT coalesce(nullif(system, ''), (SELECT name FROM named), '') AS system, volume, vo, tape_pool, logical_library, media_type, capacity_bytes,
           CASE WHEN is_full THEN 0 ELSE greatest(capacity_bytes - used_bytes, 0) END, active_bytes,
           greatest(used_bytes - active_bytes, 0), last_file_number + 1, polled_at, file_id, line_no
    FROM bronze.cta_volume
)
SELECT system, volume, storage_group, file_family, library, media_type, capacity_bytes, remaining_bytes, active_bytes,
       deleted_bytes, coalesce(end_file_number <= 1, coalesce(active_bytes, capacity_bytes - remaining_bytes, 0) = 0) AS is_blank, recorded_at, file_id, line_no
FROM listed
QUALIFY row_number() OVER (
    PARTITION BY system, volume ORDER BY recorded_at DESC NULLS LAST, end_file_number DESC NULLS LAST, file_id, line_no
) = 1
