/*
title = "TSM's mounts"
grain = "one row per mount of a volume in a drive of a TSM server"
why = "How long TSM's drives held which volume, with the time it left it there in case somebody asks again; exports that overlap tell a mount once."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of mounted_at" }
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
expectation = "ExpectColumnValuesToBeBetween"
column = "mounted_s"
min_value = 0
severity = "critical"
*/
SELECT day, system, library, drive, volume, started_at AS mounted_at, ended_at AS dismounted_at,
       epoch(ended_at - started_at) AS mounted_s, last_use, is_successful, file_id, line_no
FROM bronze.tsm_summary
WHERE activity = 'TAPE MOUNT' AND drive IS NOT NULL
QUALIFY row_number() OVER (
    PARTITION BY day, system, library, drive, volume, started_at ORDER BY ended_at DESC NULLS LAST, file_id, line_no
) = 1
