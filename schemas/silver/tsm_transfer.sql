/*
title = "TSM: data moved in each mount"
grain = "one row per mount and per session or process that used the mounted volume"
why = "The activity log lists the volumes of a session; SUMMARY or the accounting has the session's total data. If a session read or wrote several volumes, no log has the data of each volume. Such rows have no bytes and are not in silver.transfer."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of started_at" }
transfer_id = { type = "VARCHAR", doc = "identifier of the transfer: mount, activity, and number of the session or process" }
system = { type = "VARCHAR", doc = "archive system" }
station = { type = "VARCHAR", doc = "host of the client that ran the session; NULL for a process of the server" }
drive = { type = "VARCHAR", doc = "drive" }
volume = { type = "VARCHAR", doc = "tape label" }
session_id = { type = "VARCHAR", doc = "identifier of the mount in which the data were moved" }
mode = { type = "VARCHAR", doc = "read or write, from the message that the volume was opened; without such a message, from the activity (such as ARCHIVE)" }
activity = { type = "VARCHAR", doc = "activity of the session or process, such as ARCHIVE or RETRIEVE, as in silver.tsm_session" }
task = { type = "VARCHAR", doc = "session (of a client) or process (of the server)" }
number = { type = "BIGINT", doc = "number of the session or process" }
began_at = { type = "TIMESTAMP", doc = "when the session or process began" }
n_volumes = { type = "BIGINT", doc = "number of volumes, in drives or on disk, that the session or process used in this mode: those it read from (read) or wrote to (write)" }
bytes = { type = "BIGINT", unit = "bytes", doc = "bytes moved by the session or process. NULL if it used several volumes or mounts in this mode, or if its mount is not known. Also NULL if the activity log lacks more than log_silence_s (in site.toml) of the session or process" }
n_objects = { type = "BIGINT", doc = "number of objects that the session or process moved; NULL where bytes is NULL" }
started_at = { type = "TIMESTAMP", doc = "when the session or process started, or when the volume was in the drive, whichever is later" }
ended_at = { type = "TIMESTAMP", doc = "end of the session or process, or of the mount if that was earlier" }
drive_s = { type = "DOUBLE", unit = "s", doc = "estimated time that the drive worked: duration of the session or process minus its waits for media, client and network. NULL where nothing remains, or where waits or bytes are not known. Also NULL if several processes ran at once" }
storage_group = { type = "VARCHAR", doc = "name of the TSM node (registered client) for a session, or of the storage pool for a process" }
status = { type = "VARCHAR", doc = "failed if TSM's server reported a failure, otherwise ok" }
file_id = { type = "VARCHAR", doc = "log file with the row about the session or process" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

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
matched AS (
    SELECT s.*, u.volume, u.logged_at AS used_at,
           CASE u.direction WHEN 'input' THEN 'read' WHEN 'output' THEN 'write' END AS opened,
           CASE WHEN s.activity IN ('RETRIEVE', 'RESTORE') THEN 'read'
                WHEN s.activity IN ('ARCHIVE', 'BACKUP', 'MIGRATION') OR s.activity LIKE '%DBBACKUP' THEN 'write' END AS meant
    FROM used u JOIN silver.tsm_session s
        ON s.system = u.system AND s.task = u.task AND s.number = u.number AND s.bytes > 0
           AND u.logged_at BETWEEN s.started_at - INTERVAL 60 SECOND AND s.ended_at + INTERVAL 60 SECOND
),
use AS (
    -- a volume that was only mounted has the mode in which another message opened it
    SELECT *, coalesce(opened, max(opened) OVER same, meant) AS mode FROM matched
    WHERE meant IS NULL OR opened IS NULL OR meant = opened
    WINDOW same AS (PARTITION BY system, activity, task, number, started_at, volume)
),
observed AS (
    SELECT s.system, s.activity, s.task, s.number, s.started_at,
           sum(date_diff('microsecond', greatest(s.started_at, c.from_at), least(s.ended_at, c.to_at))) AS us
    FROM silver.tsm_session s
    JOIN silver.log_coverage c
        ON c.source = 'tsm_actlog' AND c.host = s.system AND c.from_at < s.ended_at AND c.to_at > s.started_at
    GROUP BY ALL
),
placed AS (
    -- a tape may serve several sessions before it leaves the drive, and a session several tapes; one that is still in
    -- the drive has no mount yet
    SELECT u.*, m.session_id, m.drive, m.mounted_at, m.dismounted_at,
           count(DISTINCT u.volume) OVER same AS n_volumes,
           count(DISTINCT m.session_id) OVER same = 1 AND bool_and(m.session_id IS NOT NULL) OVER same
               AND date_diff('microsecond', u.started_at, u.ended_at) - coalesce(h.us, 0) <= 1e6 * c.log_silence_s AS is_one_mount
    FROM use u
    CROSS JOIN site.setting c
    LEFT JOIN observed h
        ON h.system = u.system AND h.activity = u.activity AND h.task = u.task AND h.number = u.number AND h.started_at = u.started_at
    LEFT JOIN silver.tsm_mount m
        ON m.system = u.system AND m.volume = u.volume
           AND u.used_at BETWEEN m.mounted_at - INTERVAL 60 SECOND AND m.dismounted_at
    WHERE u.mode IS NOT NULL
    WINDOW same AS (PARTITION BY u.system, u.activity, u.task, u.number, u.started_at, u.mode)
)
SELECT CAST(greatest(a.started_at, a.mounted_at) AS DATE) AS day,
       concat_ws(' ', a.session_id, lower(a.activity), a.number) AS transfer_id, a.system,
       coalesce(b.station, a.client_host) AS station, a.drive, a.volume, a.session_id, a.mode, a.activity, a.task, a.number,
       a.started_at AS began_at, a.n_volumes,
       CASE WHEN a.n_volumes = 1 AND a.is_one_mount THEN a.bytes END AS bytes,
       CASE WHEN a.n_volumes = 1 AND a.is_one_mount THEN a.n_affected END AS n_objects,
       greatest(a.started_at, a.mounted_at) AS started_at, least(a.ended_at, a.dismounted_at) AS ended_at,
       CASE WHEN a.n_volumes = 1 AND a.is_one_mount AND coalesce(a.n_processes, 0) <= 1
                 AND a.took_s > a.media_wait_s + a.idle_s + a.network_wait_s
            THEN a.took_s - a.media_wait_s - a.idle_s - a.network_wait_s END AS drive_s,
       a.entity AS storage_group, CASE WHEN coalesce(a.is_successful, TRUE) THEN 'ok' ELSE 'failed' END AS status, a.file_id,
       a.line_no
FROM placed a LEFT JOIN site.station_alias b ON b.alias = a.client_host
WHERE a.session_id IS NOT NULL AND least(a.ended_at, a.dismounted_at) > greatest(a.started_at, a.mounted_at)
QUALIFY row_number() OVER (PARTITION BY a.system, a.session_id, a.activity, a.number ORDER BY a.started_at, a.file_id, a.line_no) = 1
