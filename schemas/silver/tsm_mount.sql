/*
title = "TSM's mounts"
grain = "one row per mount of a volume in a drive of a TSM server"
why = "How long TSM's drives held which volume, with the time it left it there in case somebody asks again; exports that overlap tell a mount once."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of mounted_at" }
session_id = { type = "VARCHAR", doc = "drive, volume and mounted_at" }
system = { type = "VARCHAR", doc = "archive system" }
library = { type = "VARCHAR", doc = "library" }
drive = { type = "VARCHAR", doc = "name of the drive" }
volume = { type = "VARCHAR", doc = "tape label" }
mounted_at = { type = "TIMESTAMP", doc = "volume in the drive" }
dismounted_at = { type = "TIMESTAMP", doc = "drive free; NULL where the row was written before" }
mounted_s = { type = "DOUBLE", unit = "s", doc = "dismounted_at - mounted_at" }
last_use = { type = "VARCHAR", doc = "Data or DbBackup" }
is_successful = { type = "BOOLEAN", doc = "as the server judged" }
file_id = { type = "VARCHAR", doc = "file of the row taken" }
line_no = { type = "BIGINT", doc = "that line" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "session_id"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "mounted_s"
min_value = 0
severity = "critical"
*/
SELECT m.day,
       concat_ws(' ', coalesce(d.drive, m.drive), m.volume, strftime(m.started_at, '%Y-%m-%dT%H:%M:%S.%fZ')) AS session_id,
       m.system, m.library, coalesce(d.drive, m.drive) AS drive, m.volume, m.started_at AS mounted_at,
       m.ended_at AS dismounted_at, epoch(m.ended_at - m.started_at) AS mounted_s, m.last_use, m.is_successful, m.file_id,
       m.line_no
FROM bronze.tsm_summary m LEFT JOIN site.drive d ON d.logname = m.drive
WHERE m.activity = 'TAPE MOUNT' AND m.drive IS NOT NULL
QUALIFY row_number() OVER (
    PARTITION BY m.day, m.system, m.drive, m.volume, m.started_at ORDER BY m.ended_at DESC NULLS LAST, m.file_id, m.line_no
) = 1
