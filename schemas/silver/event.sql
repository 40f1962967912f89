/*
title = "Failures and interventions"
grain = "one row per failure, restart or intervention a mover's log reports"
why = "What went wrong with drives, cartridges and transfers, and the time it took."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of happened_at" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive" }
kind = { type = "VARCHAR", doc = "transfer_failed mount_failed dismount_failed drive_offline drive_error volume_no_access cleaning mover_restart slow_drive volume_assert" }
happened_at = { type = "TIMESTAMP", doc = "instant of the line" }
began_at = { type = "TIMESTAMP", doc = "when the attempt began: the mover's request, or the mount request" }
lost_s = { type = "DOUBLE", unit = "s", doc = "from began_at to happened_at, of failed attempts" }
volume = { type = "VARCHAR", doc = "tape label" }
error = { type = "VARCHAR", doc = "error name" }
error_source = { type = "VARCHAR", doc = "part of the system the error is put down to" }
message = { type = "VARCHAR", doc = "the message, at most 300 characters" }
file_id = { type = "VARCHAR", doc = "file of the line" }
line_no = { type = "BIGINT", doc = "line" }
*/
WITH begun AS (
    SELECT system, try_id, min(marked_at) AS began_at FROM silver.mover_step
    WHERE kind = 'request' GROUP BY system, try_id
),
mounting AS (
    SELECT system, session_id, min(marked_at) AS began_at FROM silver.mover_step
    WHERE kind = 'load_requested' AND session_id IS NOT NULL GROUP BY system, session_id
),
step AS (
    SELECT m.*, CASE m.kind WHEN 'failed' THEN b.began_at WHEN 'load_failed' THEN l.began_at END AS began_at
    FROM silver.mover_step m
    LEFT JOIN begun b ON b.system = m.system AND b.try_id = m.try_id
    LEFT JOIN mounting l ON l.system = m.system AND l.session_id = m.session_id
    WHERE m.kind IN ('failed', 'load_failed', 'dismount_failed', 'offline', 'error', 'no_access', 'cleaning_begun',
                     'restart', 'slow_drive', 'assert')
    WINDOW steps AS (PARTITION BY m.system, m.drive ORDER BY m.day, m.seq)
    -- a mover that starts with a volume in its drive says so in a second line
    QUALIFY NOT (m.kind = 'restart' AND m.volume IS NOT NULL
                 AND coalesce(lag(m.kind) OVER steps = 'restart', FALSE))
)
SELECT day, system, drive,
       CASE kind WHEN 'failed' THEN 'transfer_failed' WHEN 'load_failed' THEN 'mount_failed'
                 WHEN 'offline' THEN 'drive_offline' WHEN 'error' THEN 'drive_error'
                 WHEN 'no_access' THEN 'volume_no_access' WHEN 'cleaning_begun' THEN 'cleaning'
                 WHEN 'restart' THEN 'mover_restart' WHEN 'assert' THEN 'volume_assert' ELSE kind END AS kind,
       marked_at AS happened_at, began_at, date_diff('microsecond', began_at, marked_at) / 1e6 AS lost_s,
       volume, error, error_source, message, file_id, line_no
FROM step
