/*
title = "Failures and interventions"
grain = "one row per failure, alert, restart or intervention. Sources are the logs of movers, CTA's tape daemon and TSM's server, TSM's table SUMMARY and accounting, CTA's answers to polls, SCSI pages of drives, and a library's list of mounts. Enstore's accounting is the source where no log shows the event"
why = "Shows which drives, cartridges and transfers failed or needed an intervention, and how long each event took."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of happened_at" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive. NULL for request_failed. Also NULL where drives of several libraries have the name that the log gives" }
kind = { type = "VARCHAR", doc = "kind of event. Of files: transfer_failed, request_failed (failed before a drive had the request). Of mounts: mount_failed, dismount_failed, session_killed, empty_mount (given up before the robot moved, or no data moved). Of drives: drive_offline, drive_error, cleaning, mover_restart, slow_drive. Of tapes: volume_no_access (Enstore barred the tape from use), volume_assert (Enstore mounted the tape to check its label or files). Of drives or tapes: tape_alert, media_error (the count of uncorrected errors rose in a mount)" }
happened_at = { type = "TIMESTAMP", doc = "when the event was logged" }
began_at = { type = "TIMESTAMP", doc = "when the failed attempt started. For a transfer: when the mover took the request for the file (Enstore), or when the work started (CTA, TSM). For a mount: the mount request. For session_killed: when the mount began to hang. NULL for other events, and where no source shows the start" }
lost_s = { type = "DOUBLE", unit = "s", doc = "time that the failed attempt took, from began_at to happened_at. For session_killed, the time for which the mount hung. For empty_mount, the time of the complete mount. If a tape is dismounted and mounted again within an hour after a failed transfer, the time of that dismount and mount is added. If the second mount is part of another failed attempt, its time counts only in that attempt" }
volume = { type = "VARCHAR", doc = "tape label" }
error = { type = "VARCHAR", doc = "name of the error" }
error_source = { type = "VARCHAR", doc = "part of the system that caused the error, according to the log" }
message = { type = "VARCHAR", doc = "text of the message, at most 300 characters" }
file_id = { type = "VARCHAR", doc = "log file with the log line about the event" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }
*/
WITH begun AS (
    SELECT system, attempt_id, min(marked_at) AS began_at FROM silver.mover_step
    WHERE kind = 'request' GROUP BY system, attempt_id
),
mounting AS (
    SELECT system, session_id, min(marked_at) AS began_at FROM silver.mover_step
    WHERE kind = 'load_requested' AND session_id IS NOT NULL GROUP BY system, session_id
),
mount AS (
    SELECT system, session_id, dismount_at, dismount_s, lead(session_id) OVER tape AS again_id,
           lead(requested_at) OVER tape AS again_at, lead(mount_s) OVER tape AS again_s
    FROM silver.session
    WINDOW tape AS (PARTITION BY system, volume ORDER BY from_at, session_id)
),
last_try AS (
    SELECT system, session_id, arg_max(day, (day, seq)) AS day, arg_max(seq, (day, seq)) AS seq
    FROM silver.mover_step WHERE kind IN ('failed', 'completed') AND session_id IS NOT NULL
    GROUP BY system, session_id
),
-- mounts for an attempt that failed: they are part of its own time
mounted_in_vain AS (
    SELECT DISTINCT m.system, m.session_id
    FROM silver.mover_step m
    SEMI JOIN (SELECT system, attempt_id FROM silver.mover_step WHERE kind = 'failed') f
        ON f.system = m.system AND f.attempt_id = m.attempt_id
    WHERE m.kind = 'load_requested' AND m.session_id IS NOT NULL
),
-- a mount whose last attempt failed: the tape was dismounted for that, and mounted again for the remaining work
cut_short AS (
    SELECT e.system, e.session_id, e.day, e.seq,
           coalesce(m.dismount_s, 0) + CASE WHEN v.session_id IS NULL THEN coalesce(m.again_s, 0) ELSE 0 END AS remount_s
    FROM last_try e
    JOIN mount m ON m.system = e.system AND m.session_id = e.session_id
        AND m.again_at BETWEEN m.dismount_at AND m.dismount_at + INTERVAL 1 HOUR
    LEFT JOIN mounted_in_vain v ON v.system = m.system AND v.session_id = m.again_id
),
step AS (
    SELECT m.*, CASE m.kind WHEN 'failed' THEN b.began_at WHEN 'load_failed' THEN l.began_at END AS began_at,
           CASE m.kind WHEN 'failed' THEN r.remount_s END AS remount_s
    FROM silver.mover_step m
    LEFT JOIN begun b ON b.system = m.system AND b.attempt_id = m.attempt_id
    LEFT JOIN mounting l ON l.system = m.system AND l.session_id = m.session_id
    LEFT JOIN cut_short r ON r.system = m.system AND r.session_id = m.session_id AND r.day = m.day AND r.seq = m.seq
    WHERE m.kind IN ('failed', 'load_failed', 'dismount_failed', 'offline', 'error', 'no_access', 'cleaning_begun',
                     'restart', 'slow_drive', 'assert')
    WINDOW steps AS (PARTITION BY m.system, m.drive ORDER BY m.day, m.seq)
    -- a mover that starts with a volume in its drive logs that in a second line
    QUALIFY NOT (m.kind = 'restart' AND m.volume IS NOT NULL
                 AND coalesce(lag(m.kind) OVER steps = 'restart', FALSE))
),
logged AS (
    SELECT day, system, drive,
           CASE kind WHEN 'failed' THEN 'transfer_failed' WHEN 'load_failed' THEN 'mount_failed'
                     WHEN 'offline' THEN 'drive_offline' WHEN 'error' THEN 'drive_error'
                     WHEN 'no_access' THEN 'volume_no_access' WHEN 'cleaning_begun' THEN 'cleaning'
                     WHEN 'restart' THEN 'mover_restart' WHEN 'assert' THEN 'volume_assert' ELSE kind END AS kind,
           marked_at AS happened_at, began_at,
           date_diff('microsecond', began_at, marked_at) / 1e6 + coalesce(remount_s, 0) AS lost_s,
           volume, error, error_source, message, file_id, line_no
    FROM step
),
entry AS (
    SELECT e.system, coalesce(d.drive, regexp_replace(nullif(e.mover, ''), '\.mover$', '')) AS drive,
           CASE WHEN e.mover IS NULL THEN 'request_failed' ELSE 'transfer_failed' END AS kind,
           e.failed_at AS happened_at, CAST(NULL AS TIMESTAMP) AS began_at, e.volume, e.error,
           left(e.message, 300) AS message, e.file_id, e.line_no
    FROM (SELECT * FROM bronze.enstore_accounting_error
          WHERE coalesce(volume, '') NOT LIKE '%:%' AND coalesce(drive_product, '') <> 'Unknown'
          QUALIFY row_number() OVER (
              PARTITION BY system, failed_at, unique_id, host, pid, mover, volume, source_path, target_path, error
              ORDER BY file_id, line_no) = 1) e
    LEFT JOIN site.drive d ON d.mover = e.mover
    UNION ALL BY NAME
    SELECT m.system, coalesce(d.drive, regexp_replace(m.logname, 'MV$', '')) AS drive,
           CASE m.state WHEN 'E' THEN 'mount_failed' ELSE 'dismount_failed' END AS kind,
           coalesce(m.ended_at, m.began_at) AS happened_at, CASE m.state WHEN 'E' THEN m.began_at END AS began_at,
           m.volume, NULL AS error, NULL AS message, m.file_id, m.line_no
    FROM (SELECT * FROM bronze.enstore_accounting_mount
          WHERE state IN ('E', 'F') AND coalesce(ended_at >= began_at, TRUE)
          QUALIFY row_number() OVER (
              PARTITION BY system, logname, volume, began_at, state ORDER BY file_id, line_no) = 1) m
    LEFT JOIN site.drive d ON d.logname = m.logname
),
cta AS (
    SELECT system, drive, 'transfer_failed' AS kind, ended_at AS happened_at, requested_at AS began_at, volume,
           error, error AS message, file_id, line_no
    FROM silver.cta_transfer WHERE status = 'failed'
    UNION ALL
    SELECT m.system, m.drive, CASE m.status WHEN 'empty' THEN 'empty_mount' WHEN 'killed' THEN 'session_killed' ELSE m.status END,
           coalesce(m.killed_at, m.to_at), CASE m.status WHEN 'killed' THEN h.from_at ELSE m.requested_at END, m.volume, m.errors,
           NULL, m.file_id, m.line_no
    FROM silver.cta_mount m
    LEFT JOIN silver.cta_state h ON h.system = m.system AND h.session_id = m.session_id AND h.state = 'hung'
    WHERE m.status IN ('mount_failed', 'killed', 'empty')
    UNION ALL
    SELECT m.system, m.drive, 'empty_mount', m.to_at, m.requested_at, m.volume, NULL, NULL, m.file_id, m.line_no
    FROM silver.cta_mount m
    ANTI JOIN silver.cta_transfer t ON t.system = m.system AND t.session_id = m.session_id
    WHERE m.status = 'ok' AND m.purpose <> 'label' AND m.mounted_at IS NOT NULL AND m.dismounted_at IS NOT NULL
    UNION ALL
    -- of the pages that count the same error, the one with the totals
    SELECT system, drive, 'media_error', logged_at, NULL, volume, counter, concat(counter, '=', CAST(value AS BIGINT)), file_id,
           line_no
    FROM (SELECT * FROM silver.scsi_counter
          WHERE scope = 'mount' AND regexp_matches(counter, 'Uncorrected|Unrecovered') AND rise > 0
          QUALIFY row_number() OVER (PARTITION BY system, drive, logged_at, counter LIKE '%Write%'
                                     ORDER BY counter LIKE '%Uncorrected%' DESC, counter) = 1)
    UNION ALL
    -- a flag that stays set is one alert
    SELECT system, drive, 'tape_alert', logged_at, NULL, volume, counter[7:], NULL, file_id, line_no
    FROM (SELECT * FROM silver.scsi_counter
          WHERE counter LIKE 'alert %' AND value > 0
          QUALIFY row_number() OVER (PARTITION BY day, system, drive, volume, counter ORDER BY logged_at) = 1)
    UNION ALL
    SELECT s.system, coalesce(d.drive, s.drive), CASE s.kind WHEN 'alert' THEN 'tape_alert' ELSE 'drive_offline' END,
           s.logged_at, NULL, s.volume, s.alert_text, s.reason, s.file_id, s.line_no
    FROM bronze.cta_step s LEFT JOIN site.drive d ON d.logname = s.drive
    WHERE s.kind = 'alert' OR s.kind = 'desired_state' AND s.state = 'DOWN'
    QUALIFY row_number() OVER (PARTITION BY s.system, s.drive, s.logged_at, s.kind, s.alert_text ORDER BY s.file_id, s.line_no) = 1
    UNION ALL
    (SELECT system, drive, 'drive_offline', from_at, NULL, NULL, NULL, reason, file_id, line_no
     FROM silver.cta_poll_state
     WHERE state = 'down' AND reason IS NOT NULL
     QUALIFY lag(to_at) OVER (PARTITION BY system, drive ORDER BY from_at) IS DISTINCT FROM from_at)
),
tsm AS (
    -- a name that drives of several libraries share identifies none of them
    SELECT a.system, coalesce(d.drive, CASE WHEN NOT EXISTS (SELECT 1 FROM site.drive o WHERE ends_with(o.logname, concat(':', a.drive)))
                                            THEN a.drive END) AS drive, a.kind, a.logged_at AS happened_at,
           CAST(NULL AS TIMESTAMP) AS began_at, a.volume, a.message_id AS error, CAST(NULL AS VARCHAR) AS message, a.file_id,
           a.line_no
    FROM bronze.tsm_actlog a LEFT JOIN site.drive d ON d.logname = a.drive
    WHERE a.kind IN ('mount_failed', 'cleaning')
    QUALIFY row_number() OVER (PARTITION BY a.system, a.kind, a.drive, a.volume, a.logged_at ORDER BY a.file_id, a.line_no) = 1
    UNION ALL
    SELECT system, drive, 'transfer_failed', ended_at, started_at, volume, NULL, NULL, file_id, line_no
    FROM silver.tsm_transfer WHERE status = 'failed' AND bytes IS NOT NULL
)
SELECT day, system, drive, kind, happened_at, began_at, lost_s, volume, error, error_source, message, file_id, line_no
FROM logged
UNION ALL
SELECT CAST(e.happened_at AS DATE), e.system, e.drive, e.kind, e.happened_at, e.began_at,
       date_diff('microsecond', e.began_at, e.happened_at) / 1e6, e.volume, e.error, NULL, e.message, e.file_id,
       e.line_no
FROM entry e
-- the mover's own line on the same failure is better
ANTI JOIN logged l
    ON l.system = e.system AND l.drive = e.drive AND l.kind = e.kind
       AND l.happened_at BETWEEN e.happened_at - INTERVAL 120 SECOND AND e.happened_at + INTERVAL 120 SECOND
UNION ALL
SELECT CAST(happened_at AS DATE), system, drive, kind, happened_at, began_at,
       date_diff('microsecond', began_at, happened_at) / 1e6, volume, error, NULL, left(message, 300), file_id, line_no
FROM (SELECT * FROM cta UNION ALL SELECT * FROM tsm)
