/*
title = "CTA: mounts"
grain = "one row per mount of CTA, made from all log lines of the tape daemon about the mount. If no line shows the start of the mount, its times are computed from its final record"
why = "Holds all times of a mount in one row. The CTA rows of silver.session, silver.transfer and silver.drive_state are made with these rows."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
session_id = { type = "VARCHAR", doc = "identifier of the mount: drive, volume and CTA's mount number" }
system = { type = "VARCHAR", doc = "CTA instance" }
drive = { type = "VARCHAR", doc = "drive" }
mover_host = { type = "VARCHAR", doc = "tape server" }
mount_id = { type = "VARCHAR", doc = "CTA's number of the mount" }
volume = { type = "VARCHAR", doc = "tape label" }
mode = { type = "VARCHAR", doc = "read or write; NULL for a mount that only writes the tape's label, and where no line shows the kind of mount" }
purpose = { type = "VARCHAR", doc = "purpose of the mount. repack: copies files to other tapes. verify: reads files only to check them. label: writes the tape's label. user: requests of users; also where no line shows another purpose" }
storage_group = { type = "VARCHAR", doc = "virtual organisation: the experiment or user group that owns the volume" }
file_family = { type = "VARCHAR", doc = "tape pool: the set of volumes to which this volume belongs" }
from_at = { type = "TIMESTAMP", doc = "time of the first line of the mount, or requested_at if that is earlier" }
requested_at = { type = "TIMESTAMP", doc = "when CTA started the mount (its tape session), as logged or as computed from the mount's final record; NULL where neither a log line nor the final record shows it" }
mounted_at = { type = "TIMESTAMP", doc = "when the tape was ready in the drive" }
positioned_at = { type = "TIMESTAMP", doc = "for reads: when the tape's label was checked; for writes: when the tape was at the end of its data. If is_inferred is true: mounted_at plus the positioning time in the final record. For reads, this time includes the positioning to each file" }
dismount_at = { type = "TIMESTAMP", doc = "when the drive started to unload the tape" }
dismounted_at = { type = "TIMESTAMP", doc = "when the tape was out of the drive" }
drained_at = { type = "TIMESTAMP", doc = "when the last byte was on disk, if the tape was dismounted before that; NULL otherwise" }
killed_at = { type = "TIMESTAMP", doc = "when the process of the mount was killed or crashed; NULL otherwise" }
to_at = { type = "TIMESTAMP", doc = "time of the last line of the mount" }
n_file_lines = { type = "BIGINT", doc = "number of log lines about single files of the mount. If it is 0, only the mount's final record shows how much data moved" }
n_recorded_files = { type = "BIGINT", doc = "number of files that the mount moved, from its final record. If it exceeds n_file_lines, lines about files are missing from the log" }
errors = { type = "VARCHAR", doc = "names of the errors that the mount's final record counts; NULL if it counts none" }
is_inferred = { type = "BOOLEAN", doc = "true if the mount's times are computed from its final record, because no line shows the start of the mount" }
status = { type = "VARCHAR", doc = "ok, mount_failed, killed (or crashed), empty (given up before the robot moved the tape), or cut (start or end neither logged nor in the final record). A mount with errors only after the tape was in the drive is ok" }
file_id = { type = "VARCHAR", doc = "log file with the first line of the mount; with its final record if this reports a failure, or if no other line is known" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "session_id"]
severity = "critical"
*/
WITH line AS (
    SELECT system, drive, host, mount_id, volume, vo, tape_pool, mount_type, kind, state, logged_at, file_id, line_no
    FROM bronze.cta_step WHERE mount_id IS NOT NULL
    UNION ALL BY NAME
    SELECT system, drive, host, mount_id, volume, vo, tape_pool, 'file' AS kind, logged_at, file_id, line_no
    FROM bronze.cta_file WHERE mount_id IS NOT NULL
),
logged AS (
    SELECT system, drive, mount_id, min(split_part(host, '.', 1)) AS host, max(volume) AS volume, max(vo) AS vo,
           max(tape_pool) AS tape_pool, max(mount_type) AS mount_type,
           min(logged_at) AS from_at, max(logged_at) AS to_at,
           min(logged_at) FILTER (kind = 'session_started') AS requested_at,
           min(logged_at) FILTER (kind = 'ready') AS mounted_at,
           min(logged_at) FILTER (kind IN ('positioned', 'label_positioned')) AS positioned_at,
           min(logged_at) FILTER (kind = 'unloading' OR state = 'UNLOADING') AS dismount_at,
           max(logged_at) FILTER (kind = 'unmounted') AS dismounted_at,
           min(logged_at) FILTER (kind = 'killed') AS killed_at,
           count(*) FILTER (kind = 'file') AS n_file_lines,
           arg_min(file_id, (logged_at, file_id, line_no)) AS file_id,
           arg_min(line_no, (logged_at, file_id, line_no)) AS line_no
    FROM line GROUP BY system, drive, mount_id
),
record AS (
    -- a killed mount may have two records within milliseconds: the first one has the status
    SELECT *, logged_at - to_microseconds(CAST(round(1e6 * (coalesce(total_s, 0) + coalesce(drain_s, 0))) AS BIGINT)) AS began_at
    FROM bronze.cta_session WHERE mount_id IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY system, drive, mount_id ORDER BY logged_at, file_id, line_no) = 1
),
merged AS (
    SELECT coalesce(l.system, r.system) AS system, coalesce(l.drive, r.drive) AS logname,
           coalesce(l.host, split_part(r.host, '.', 1)) AS mover_host, coalesce(l.mount_id, r.mount_id) AS mount_id,
           coalesce(l.volume, r.volume) AS volume, coalesce(r.vo, l.vo) AS storage_group,
           coalesce(r.tape_pool, l.tape_pool) AS file_family, coalesce(r.mount_type, l.mount_type) AS mount_type,
           l.requested_at IS NULL AND r.total_s > 0 AS is_inferred,
           l.* EXCLUDE (system, drive, host, mount_id, volume, vo, tape_pool, mount_type, file_id, line_no),
           r.logged_at AS recorded_at, r.began_at, r.mount_s, r.position_s, r.unload_s, r.unmount_s, r.total_s, r.drain_s,
           r.status, r.is_killed, r.errors, r.files, r.mount_attempted, r.was_mounted, r.repack_files, r.user_files, r.verified_files,
           -- of a mount that failed, the line that has the error
           CASE WHEN r.status = 'failure' THEN r.file_id ELSE coalesce(l.file_id, r.file_id) END AS file_id,
           CASE WHEN r.status = 'failure' THEN r.line_no ELSE coalesce(l.line_no, r.line_no) END AS line_no
    FROM logged l
    FULL JOIN record r ON r.system = l.system AND r.drive = l.drive AND r.mount_id = l.mount_id
),
placed AS (
    SELECT *, CASE WHEN is_inferred THEN began_at ELSE requested_at END AS start_at,
           to_microseconds(CAST(round(1e6 * mount_s) AS BIGINT)) AS mount_time,
           to_microseconds(CAST(round(1e6 * (mount_s + position_s)) AS BIGINT)) AS position_time,
           to_microseconds(CAST(round(1e6 * total_s) AS BIGINT)) AS total_time,
           to_microseconds(CAST(round(1e6 * (coalesce(unload_s, 0) + coalesce(unmount_s, 0))) AS BIGINT)) AS dismount_time
    FROM merged
)
SELECT CAST(least(p.start_at, coalesce(p.from_at, p.recorded_at)) AS DATE) AS day,
       concat_ws(' ', coalesce(d.drive, p.logname), p.volume, p.mount_id) AS session_id, p.system,
       coalesce(d.drive, p.logname) AS drive, p.mover_host, p.mount_id, p.volume,
       CASE WHEN p.mount_type = 'Retrieve' THEN 'read' WHEN p.mount_type LIKE 'Archive%' THEN 'write' END AS mode,
       CASE WHEN p.mount_type = 'Label' THEN 'label'
            WHEN p.mount_type LIKE '%Repack' OR p.repack_files > 0 AND coalesce(p.user_files, 0) = 0 THEN 'repack'
            WHEN p.verified_files > 0 AND coalesce(p.user_files, 0) = 0 THEN 'verify'
            ELSE 'user' END AS purpose,
       p.storage_group, p.file_family, least(p.start_at, coalesce(p.from_at, p.recorded_at)) AS from_at,
       p.start_at AS requested_at,
       CASE WHEN p.is_inferred AND p.was_mounted THEN p.began_at + p.mount_time ELSE p.mounted_at END AS mounted_at,
       CASE WHEN p.is_inferred AND p.was_mounted THEN p.began_at + p.position_time ELSE p.positioned_at END AS positioned_at,
       CASE WHEN p.is_inferred AND NOT p.is_killed THEN p.began_at + p.total_time - p.dismount_time ELSE p.dismount_at END
           AS dismount_at,
       CASE WHEN p.is_inferred AND NOT p.is_killed THEN p.began_at + p.total_time ELSE p.dismounted_at END AS dismounted_at,
       CASE WHEN p.drain_s > 0 THEN p.recorded_at END AS drained_at,
       CASE WHEN coalesce(p.is_killed, p.killed_at IS NOT NULL) THEN coalesce(p.killed_at, p.recorded_at) END AS killed_at,
       greatest(p.to_at, p.recorded_at) AS to_at, coalesce(p.n_file_lines, 0) AS n_file_lines,
       p.files AS n_recorded_files, regexp_replace(p.errors, '=[0-9]+', '', 'g') AS errors,
       coalesce(p.is_inferred, FALSE) AS is_inferred,
       CASE WHEN NOT p.mount_attempted THEN 'empty'
            WHEN coalesce(p.is_killed, p.killed_at IS NOT NULL) THEN 'killed'
            WHEN p.status = 'failure' AND NOT p.was_mounted THEN 'mount_failed'
            WHEN p.start_at IS NULL OR coalesce(p.dismounted_at, p.recorded_at) IS NULL THEN 'cut'
            ELSE 'ok' END AS status,
       p.file_id, p.line_no
FROM placed p LEFT JOIN site.drive d ON d.logname = p.logname
