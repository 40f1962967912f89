/*
title = "TSM: data moved in a mount"
grain = "one row per mount and session or process whose bytes in that direction all went through this mount"
why = "TSM's part of silver.transfer: the activity log lists the volumes of a session, SUMMARY or the accounting the data it moved. A session that read or wrote several tapes has no row here, because no log has the amount for each."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of started_at" }
transfer_id = { type = "VARCHAR", doc = "mount, activity, and number of the session or process" }
system = { type = "VARCHAR", doc = "archive system" }
station = { type = "VARCHAR", doc = "host of the client; NULL for a process" }
drive = { type = "VARCHAR", doc = "drive" }
volume = { type = "VARCHAR", doc = "tape label" }
session_id = { type = "VARCHAR", doc = "mount it belongs to" }
mode = { type = "VARCHAR", doc = "read or write, by how the volume was opened; where no log has that, by the activity" }
bytes = { type = "BIGINT", unit = "bytes", doc = "moved by the session or process" }
n_objects = { type = "BIGINT", doc = "objects it moved" }
started_at = { type = "TIMESTAMP", doc = "start of the session, or volume in the drive where that was later" }
ended_at = { type = "TIMESTAMP", doc = "end of the session, or dismount where that was earlier" }
drive_s = { type = "DOUBLE", unit = "s", doc = "length of the session minus its waits for media, client and network; NULL where nothing remains, waits are not known, or several processes ran at once" }
storage_group = { type = "VARCHAR", doc = "node, or storage pool" }
status = { type = "VARCHAR", doc = "ok or failed, by the server's verdict" }
file_id = { type = "VARCHAR", doc = "file of the row of the session" }
line_no = { type = "BIGINT", doc = "that line" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "transfer_id"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "ended_at"
column_B = "started_at"
severity = "critical"
*/
WITH used AS (
    SELECT DISTINCT system, task, number, volume, direction, logged_at FROM bronze.tsm_actlog
    WHERE kind IN ('mounted', 'opened') AND number IS NOT NULL AND volume IS NOT NULL
),
of_mount AS (
    -- a tape may serve several sessions before it leaves the drive, and a session several tapes
    SELECT m.system, m.session_id, m.drive, m.volume, m.mounted_at, m.dismounted_at, u.task, u.number,
           max(u.direction) AS direction, min(u.logged_at) AS used_at
    FROM silver.tsm_mount m JOIN used u
        ON u.system = m.system AND u.volume = m.volume
           AND u.logged_at BETWEEN m.mounted_at - INTERVAL 60 SECOND AND m.dismounted_at
    GROUP BY ALL
),
matched AS (
    SELECT o.*, s.activity, s.entity, s.client_host, s.started_at, s.ended_at, s.took_s, s.bytes, s.n_affected, s.n_processes,
           s.media_wait_s, s.idle_s, s.network_wait_s, s.is_successful, s.file_id, s.line_no,
           CASE WHEN s.activity IN ('RETRIEVE', 'RESTORE') THEN 'read'
                WHEN s.activity IN ('ARCHIVE', 'BACKUP', 'MIGRATION') OR s.activity LIKE '%DBBACKUP' THEN 'write' END AS meant,
           CASE o.direction WHEN 'input' THEN 'read' WHEN 'output' THEN 'write' END AS opened
    FROM of_mount o JOIN silver.tsm_session s
        ON s.system = o.system AND s.task = o.task AND s.number = o.number AND s.bytes > 0
           AND o.used_at BETWEEN s.started_at - INTERVAL 60 SECOND AND s.ended_at + INTERVAL 60 SECOND
),
alone AS (
    SELECT *, coalesce(opened, meant) AS mode,
           count(DISTINCT session_id) OVER (PARTITION BY system, activity, task, number, started_at, coalesce(opened, meant)) AS n_mounts
    FROM matched WHERE meant IS NULL OR opened IS NULL OR meant = opened
)
SELECT CAST(greatest(a.started_at, a.mounted_at) AS DATE) AS day,
       concat_ws(' ', a.session_id, lower(a.activity), a.number) AS transfer_id, a.system,
       coalesce(b.station, a.client_host) AS station, a.drive, a.volume, a.session_id, a.mode, a.bytes,
       a.n_affected AS n_objects, greatest(a.started_at, a.mounted_at) AS started_at,
       least(a.ended_at, a.dismounted_at) AS ended_at,
       CASE WHEN coalesce(a.n_processes, 0) <= 1 AND a.took_s > a.media_wait_s + a.idle_s + a.network_wait_s
            THEN a.took_s - a.media_wait_s - a.idle_s - a.network_wait_s END AS drive_s,
       a.entity AS storage_group, CASE WHEN coalesce(a.is_successful, TRUE) THEN 'ok' ELSE 'failed' END AS status, a.file_id,
       a.line_no
FROM alone a LEFT JOIN site.station_alias b ON b.alias = a.client_host
WHERE a.n_mounts = 1 AND a.mode IS NOT NULL AND least(a.ended_at, a.dismounted_at) > greatest(a.started_at, a.mounted_at)
QUALIFY row_number() OVER (PARTITION BY a.system, a.session_id, a.activity, a.number ORDER BY a.started_at, a.file_id, a.line_no) = 1
