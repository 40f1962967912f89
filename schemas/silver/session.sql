/*
title = "Mounts of tapes"
grain = "one row per mount of a volume in a drive, including mounts that failed. Where only the drive's counters show its use, one row per stretch of use (see witnesses)"
why = "Shows the time that a drive spends on one cartridge, from the mount request until the drive is free again. The source is the log of the mover or tape daemon. Mounts that no such log shows come from the accounting, a list of mounts or counters."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of the first logged step of the mount" }
session_id = { type = "VARCHAR", doc = "identifier of the mount: drive, volume and time of the first step; for CTA, CTA's number of the mount instead of the time" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive" }
mover_host = { type = "VARCHAR", doc = "host on which the mover runs" }
volume = { type = "VARCHAR", doc = "tape label" }
mode = { type = "VARCHAR", doc = "read, write or mixed. For CTA, the kind of the mount, even if no data moved. Otherwise NULL where no data moved, or where only a list or SCSI pages show the mount" }
from_at = { type = "TIMESTAMP", doc = "time of the first step of the mount" }
requested_at = { type = "TIMESTAMP", doc = "when the mount was requested; NULL where this was not logged. If only the drive's counters show the use: start of the use. The end of the use is then in dismounted_at" }
mounted_at = { type = "TIMESTAMP", doc = "when the volume had arrived in the drive; for CTA, when the tape was ready" }
dismount_at = { type = "TIMESTAMP", doc = "when the mover decided to dismount the tape. For CTA: when the drive started to unload it. If only the accounting has the mount: when the robot started to dismount the tape, about half a minute after the decision" }
dismounted_at = { type = "TIMESTAMP", doc = "when the drive was free again; NULL where this was not logged" }
to_at = { type = "TIMESTAMP", doc = "time of the last step of the mount" }
mount_s = { type = "DOUBLE", unit = "s", doc = "mounted_at - requested_at" }
dismount_s = { type = "DOUBLE", unit = "s", doc = "dismounted_at - dismount_at" }
status = { type = "VARCHAR", doc = "ok, mount_failed, killed, or cut (start or end of the mount not logged)" }
witnesses = { type = "VARCHAR", doc = "source of the mount. mover: the mover's log. table: the accounting's table of mounts. taped: CTA's tape daemon. session: CTA's final record of the mount, used where no line shows the mount's start. server: a list from TSM or a library, in which the mount starts when the volume is in the drive; or SCSI pages of the drive, from first to last reading. counter: not a mount, but a stretch of a UTC day in which the drive's counters show use without a pause over ten minutes" }
file_id = { type = "VARCHAR", doc = "log file with the first step of the mount" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "session_id"]
severity = "critical"

[[checks]]
expectation = "UnexpectedRowsExpectation"
unexpected_rows_query = "SELECT DISTINCT a.drive, a.system, a.from_at, a.file_id, a.line_no FROM {batch} a JOIN {batch} b ON b.day = a.day AND b.drive = a.drive AND b.system <> a.system AND b.from_at < a.to_at AND b.to_at > a.from_at ORDER BY a.drive, a.from_at, a.system"
description = "a drive must not hold tapes of two archive systems at once. Read each log once, with the same `system` as other logs of the drive. Archives whose drives have equal names need a site.toml each"
severity = "critical"

[[checks]]
expectation = "UnexpectedRowsExpectation"
unexpected_rows_query = "SELECT day, drive, min(system) AS one_system, max(system) AS other_system, arg_min(file_id, system) AS file_id FROM {batch} GROUP BY day, drive HAVING min(system) < max(system) ORDER BY day, drive"
description = "the mounts of a drive on one day must be of one archive system, because drives with equal names count as one drive. Archives whose drives have equal names need a site.toml each"
severity = "warning"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "mount_s"
min_value = 0
severity = "critical"
*/
WITH grouped AS (
    SELECT session_id, system, drive, min(mover_host) AS mover_host,
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
),
logged AS (
    SELECT session_id, system, drive, mover_host, volume,
           CASE n_modes WHEN 0 THEN NULL WHEN 1 THEN a_mode ELSE 'mixed' END AS mode,
           from_at, requested_at, mounted_at, dismount_at, dismounted_at, to_at, has_failed, 'mover' AS witnesses,
           file_id, line_no
    FROM grouped
),
entry AS (
    -- exports overlap, and an older one may hold a mount that was not finished yet
    SELECT m.*, coalesce(d.drive, regexp_replace(m.logname, 'MV$', '')) AS drive
    FROM bronze.enstore_accounting_mount m LEFT JOIN site.drive d ON d.logname = m.logname
    WHERE m.action IS NOT NULL AND coalesce(m.ended_at >= m.began_at, TRUE)
    QUALIFY row_number() OVER (
        PARTITION BY m.system, m.logname, m.volume, m.began_at, m.action
        ORDER BY m.ended_at IS NULL, m.state IN ('m', 'd'), m.file_id, m.line_no) = 1
),
begun AS (
    SELECT *,
           action = 'mount' OR lag(volume) OVER entries IS DISTINCT FROM volume
           OR coalesce(lag(state) OVER entries IN ('E', 'D'), TRUE) AS begins
    FROM entry
    WINDOW entries AS (PARTITION BY system, drive ORDER BY began_at, ended_at, action, file_id, line_no)
),
counted AS (
    SELECT *, count(CASE WHEN begins THEN 1 END) OVER (entries ROWS UNBOUNDED PRECEDING) AS run
    FROM begun
    WINDOW entries AS (PARTITION BY system, drive ORDER BY began_at, ended_at, action, file_id, line_no)
),
kept AS (
    SELECT system, drive, min(mover_host) AS mover_host, min(volume) AS volume,
           max(n_reads) FILTER (action = 'dismount') AS n_reads, max(n_writes) FILTER (action = 'dismount') AS n_writes,
           min(began_at) AS from_at, min(began_at) FILTER (action = 'mount') AS requested_at,
           max(ended_at) FILTER (state = 'M') AS mounted_at, min(began_at) FILTER (action = 'dismount') AS dismount_at,
           max(ended_at) FILTER (state = 'D') AS dismounted_at,
           greatest(max(began_at), max(ended_at)) AS to_at, bool_or(state = 'E') AS has_failed,
           arg_min(file_id, (began_at, file_id, line_no)) AS file_id,
           arg_min(line_no, (began_at, file_id, line_no)) AS line_no
    FROM counted GROUP BY system, drive, run
),
entered AS (
    SELECT concat_ws(' ', drive, volume, strftime(from_at, '%Y-%m-%dT%H:%M:%SZ')) AS session_id,
           k.* EXCLUDE (n_reads, n_writes),
           CASE WHEN n_reads > 0 AND n_writes > 0 THEN 'mixed' WHEN n_reads > 0 THEN 'read'
                WHEN n_writes > 0 THEN 'write' END AS mode,
           'table' AS witnesses
    FROM kept k
    ANTI JOIN logged l
        ON l.system = k.system AND l.drive = k.drive AND l.volume = k.volume
           AND l.from_at <= k.to_at + INTERVAL 120 SECOND AND l.to_at >= k.from_at - INTERVAL 120 SECOND
)
SELECT CAST(from_at AS DATE) AS day, session_id, system, drive, mover_host, volume, mode,
       from_at, requested_at, mounted_at, dismount_at, dismounted_at, to_at,
       date_diff('microsecond', requested_at, mounted_at) / 1e6 AS mount_s,
       date_diff('microsecond', dismount_at, dismounted_at) / 1e6 AS dismount_s,
       CASE WHEN has_failed THEN 'mount_failed'
            WHEN requested_at IS NULL OR dismounted_at IS NULL THEN 'cut'
            ELSE 'ok' END AS status,
       witnesses, file_id, line_no
FROM (SELECT * FROM logged UNION ALL BY NAME SELECT * FROM entered)
UNION ALL
SELECT day, session_id, system, drive, mover_host, volume, mode, from_at, requested_at, mounted_at, dismount_at, dismounted_at,
       to_at, date_diff('microsecond', requested_at, mounted_at) / 1e6,
       date_diff('microsecond', dismount_at, dismounted_at) / 1e6, status,
       CASE WHEN is_inferred THEN 'session' ELSE 'taped' END, file_id, line_no
FROM silver.cta_mount
WHERE status <> 'empty'
UNION ALL
SELECT CAST(mounted_at AS DATE), session_id, system, drive, NULL, volume, NULL, mounted_at, NULL, mounted_at, NULL, dismounted_at,
       coalesce(dismounted_at, mounted_at), NULL, NULL, CASE WHEN dismounted_at IS NULL OR witness = 'pages' THEN 'cut' ELSE 'ok' END, 'server',
       file_id, line_no
FROM silver.listed_mount
WHERE drive IS NOT NULL
UNION ALL
SELECT day, session_id, system, drive, host, NULL,
       CASE WHEN read_bytes > 0 AND write_bytes > 0 THEN 'mixed' WHEN read_bytes > 0 THEN 'read' WHEN write_bytes > 0 THEN 'write' END,
       from_at, from_at, NULL, NULL, to_at, to_at, NULL, NULL, 'ok', 'counter', file_id, line_no
FROM silver.counter_use
WHERE NOT is_mount AND NOT is_blind
