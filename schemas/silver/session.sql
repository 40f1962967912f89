/*
title = "Sessions"
grain = "one row per mount of a volume in a drive, and per mount that failed"
why = "The time a drive gives to one cartridge, from the mount request until it is free again."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of its first step" }
session_id = { type = "VARCHAR", doc = "drive, volume and first instant" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive" }
mover_host = { type = "VARCHAR", doc = "host of the mover" }
volume = { type = "VARCHAR", doc = "tape label" }
mode = { type = "VARCHAR", doc = "read, write or mixed; NULL where nothing moved" }
from_at = { type = "TIMESTAMP", doc = "first step that belongs to it" }
requested_at = { type = "TIMESTAMP", doc = "mount request; NULL where it was not logged" }
mounted_at = { type = "TIMESTAMP", doc = "volume in the drive" }
dismount_at = { type = "TIMESTAMP", doc = "decision to dismount" }
dismounted_at = { type = "TIMESTAMP", doc = "drive free; NULL where it was not logged" }
to_at = { type = "TIMESTAMP", doc = "last step that belongs to it" }
mount_s = { type = "DOUBLE", unit = "s", doc = "mounted_at - requested_at" }
dismount_s = { type = "DOUBLE", unit = "s", doc = "dismounted_at - dismount_at" }
status = { type = "VARCHAR", doc = "ok, mount_failed, or cut where its begin or end was not logged" }
file_id = { type = "VARCHAR", doc = "file of its first step" }
line_no = { type = "BIGINT", doc = "that line" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "session_id"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "mount_s"
min_value = 0
severity = "critical"
*/
WITH grouped AS (
    SELECT session_id, system, drive, any_value(mover_host) AS mover_host,
           max(CASE WHEN kind IN ('load_requested', 'loaded', 'completed', 'filemark', 'drive_stats', 'dismounted')
                    THEN volume END) AS volume,
           count(DISTINCT CASE WHEN kind = 'started' THEN mode END) AS n_modes,
           max(CASE WHEN kind = 'started' THEN mode END) AS a_mode,
           min(marked_at) AS from_at,
           min(CASE WHEN kind = 'load_requested' THEN marked_at END) AS requested_at,
           min(CASE WHEN kind = 'loaded' THEN marked_at END) AS mounted_at,
           min(CASE WHEN kind IN ('dismount_begun', 'dismounting') THEN marked_at END) AS dismount_at,
           max(CASE WHEN kind = 'dismounted' THEN marked_at END) AS dismounted_at,
           max(marked_at) AS to_at,
           bool_or(kind = 'load_failed') AND NOT bool_or(kind = 'loaded') AS has_failed,
           arg_min(file_id, (day, seq)) AS file_id, arg_min(line_no, (day, seq)) AS line_no
    FROM silver.mover_step
    WHERE session_id IS NOT NULL
    GROUP BY session_id, system, drive
)
SELECT CAST(from_at AS DATE) AS day, session_id, system, drive, mover_host, volume,
       CASE n_modes WHEN 0 THEN NULL WHEN 1 THEN a_mode ELSE 'mixed' END AS mode,
       from_at, requested_at, mounted_at, dismount_at, dismounted_at, to_at,
       date_diff('microsecond', requested_at, mounted_at) / 1e6 AS mount_s,
       date_diff('microsecond', dismount_at, dismounted_at) / 1e6 AS dismount_s,
       CASE WHEN has_failed THEN 'mount_failed'
            WHEN requested_at IS NULL OR dismounted_at IS NULL THEN 'cut'
            ELSE 'ok' END AS status,
       file_id, line_no
FROM grouped
