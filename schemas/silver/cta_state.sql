/*
title = "CTA: states of drives"
grain = "one row per interval in which a CTA drive was in one state. In time without a row, the drive was idle if a log covers that time"
why = "Holds the states of CTA drives, as part of silver.drive_state. The states of a mount follow each other without interruption: mount, positioning, files, flushes, dismount, and the times between these."
partition = "day"
lineage = ["file_id", "line_no", "end_file_id", "end_line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
system = { type = "VARCHAR", doc = "CTA instance" }
drive = { type = "VARCHAR", doc = "drive" }
state = { type = "VARCHAR", doc = "state of the drive, as in silver.drive_state. The state is unknown in two cases. Between two known states of a mount: the log lacks lines about files of the mount. After the last known state of a mount: no line shows that the tape was unloaded. The state then lasts until the mount's last line or, if the mount's end was not logged, until the next line or poll about the drive" }
from_at = { type = "TIMESTAMP", doc = "start" }
to_at = { type = "TIMESTAMP", doc = "end" }
is_inferred = { type = "BOOLEAN", doc = "true if the times were computed from the mount's final record, or the mount hung until it was killed. Also true if the state is unknown after the last known state of a mount, or the drive was still down when the log ended" }
session_id = { type = "VARCHAR", doc = "identifier of the mount during which the drive was in the state; NULL for down" }
attempt_id = { type = "VARCHAR", doc = "identifier of the attempt to move a file during which the drive was in the state; NULL between attempts" }
file_id = { type = "VARCHAR", doc = "log file with the line that shows the state; for a state that no line shows, the line of the state before it" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }
end_file_id = { type = "VARCHAR", doc = "log file with the line that shows the end of a down state; NULL for other states, and where no line shows the end" }
end_line_no = { type = "BIGINT", doc = "number of the line in end_file_id" }

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "to_at"
column_B = "from_at"
severity = "critical"
*/
WITH mount AS (
    SELECT *, coalesce(killed_at, dismount_at, to_at) AS over_at FROM silver.cta_mount
    WHERE requested_at IS NOT NULL AND status <> 'empty'
),
flush AS (
    SELECT s.system, coalesce(d.drive, s.drive) AS drive, s.mount_id, s.logged_at, s.seconds, s.file_id, s.line_no
    FROM bronze.cta_step s LEFT JOIN site.drive d ON d.logname = s.drive
    WHERE s.kind = 'flushed'
    QUALIFY row_number() OVER (PARTITION BY s.system, s.drive, s.mount_id, s.logged_at ORDER BY s.file_id, s.line_no) = 1
),
piece AS (
    SELECT system, drive, session_id, CAST(NULL AS VARCHAR) AS attempt_id, 'mount' AS state, requested_at AS from_at,
           coalesce(mounted_at, dismount_at, killed_at, to_at) AS to_at, file_id, line_no
    FROM mount
    UNION ALL
    SELECT system, drive, session_id, NULL, 'position', mounted_at, coalesce(positioned_at, over_at), file_id, line_no
    FROM mount WHERE mounted_at IS NOT NULL
    UNION ALL
    SELECT system, drive, session_id, transfer_id, 'position', requested_at, started_at, file_id, line_no
    FROM silver.cta_transfer
    UNION ALL
    SELECT system, drive, session_id, transfer_id, 'transfer', started_at, ended_at, file_id, line_no
    FROM silver.cta_transfer
    UNION ALL
    SELECT m.system, m.drive, m.session_id, NULL, 'filemark',
           f.logged_at - to_microseconds(CAST(round(1e6 * f.seconds) AS BIGINT)), f.logged_at, f.file_id, f.line_no
    FROM flush f JOIN mount m ON m.system = f.system AND m.drive = f.drive AND m.mount_id = f.mount_id
    UNION ALL
    SELECT system, drive, session_id, NULL, 'dismount', dismount_at, coalesce(dismounted_at, killed_at, to_at), file_id, line_no
    FROM mount WHERE dismount_at IS NOT NULL
    UNION ALL
    SELECT system, drive, session_id, NULL, 'drain', dismounted_at, drained_at, file_id, line_no
    FROM mount WHERE drained_at > dismounted_at
),
reached AS (
    -- times are rounded, and lines may overlap: no state starts before the previous one ended
    SELECT p.*, greatest(p.from_at, coalesce(max(p.to_at) OVER earlier, p.from_at)) AS begin_at
    FROM piece p
    WHERE p.to_at > p.from_at
    WINDOW earlier AS (PARTITION BY system, drive, session_id ORDER BY from_at, to_at, state
                       ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
placed AS (
    SELECT r.*, m.is_inferred, m.over_at, m.killed_at, m.dismount_at,
           m.n_file_lines > 0 AND coalesce(m.n_recorded_files > m.n_file_lines, FALSE) AS lacks_lines,
           lead(r.begin_at) OVER later AS next_at, lead(r.state) OVER later AS next_state
    FROM reached r JOIN mount m ON m.system = r.system AND m.drive = r.drive AND m.session_id = r.session_id
    WHERE r.to_at > r.begin_at
    WINDOW later AS (PARTITION BY r.system, r.drive, r.session_id ORDER BY r.begin_at, r.to_at)
),
-- what shows whether a drive is up: its status, a mount, or a poll while the log is silent
shown AS (
    SELECT s.system, coalesce(d.drive, s.drive) AS drive, s.state, s.logged_at AS shown_at, s.file_id, s.line_no
    FROM bronze.cta_step s LEFT JOIN site.drive d ON d.logname = s.drive
    WHERE s.kind = 'drive_status'
    UNION ALL
    SELECT system, drive, 'mount', requested_at, file_id, line_no FROM mount
    UNION ALL
    SELECT system, drive, state, from_at, file_id, line_no FROM silver.cta_poll_state WHERE state <> 'unknown'
),
-- the daemon's own state shows that it is done with a mount, too
sign AS (
    SELECT system, drive, shown_at FROM shown
    UNION ALL
    SELECT s.system, coalesce(d.drive, s.drive), s.logged_at FROM bronze.cta_step s LEFT JOIN site.drive d ON d.logname = s.drive
    WHERE s.kind = 'state_changed'
),
status AS (
    SELECT *, lead(shown_at) OVER w AS next_at, lead(file_id) OVER w AS end_file_id, lead(line_no) OVER w AS end_line_no
    FROM shown
    WINDOW w AS (PARTITION BY system, drive ORDER BY shown_at, file_id, line_no)
),
ended AS (
    SELECT drive, max(to_at) AS end_at FROM silver.drive_coverage GROUP BY drive
)
SELECT CAST(from_at AS DATE) AS day, system, drive, state, from_at, to_at, is_inferred, session_id, attempt_id, file_id, line_no,
       end_file_id, end_line_no
FROM (
    SELECT system, drive, state, begin_at AS from_at, to_at, is_inferred, session_id, attempt_id, file_id, line_no,
           CAST(NULL AS VARCHAR) AS end_file_id, CAST(NULL AS BIGINT) AS end_line_no
    FROM placed
    UNION ALL
    -- between files the daemon waits for its own next task; after the last one there is no request. Where lines about files
    -- are missing, files may have moved in that time
    SELECT system, drive, CASE WHEN lacks_lines THEN 'unknown' WHEN next_state = 'dismount' THEN 'no_request' ELSE 'request' END,
           to_at, next_at,
           is_inferred, session_id, NULL, file_id, line_no, NULL, NULL
    FROM placed WHERE next_at > to_at AND next_state <> 'drain'
    UNION ALL
    -- nothing more was logged about it: it hung until it was killed
    SELECT system, drive, CASE WHEN killed_at IS NOT NULL THEN 'hung' ELSE 'unknown' END, to_at, over_at,
           TRUE, session_id, NULL, file_id, line_no, NULL, NULL
    FROM placed WHERE next_at IS NULL AND dismount_at IS NULL AND over_at > to_at
    UNION ALL
    -- no line shows that the tape left the drive: until the next sign of the drive, it was not free
    SELECT m.system, m.drive, 'unknown', m.to_at, coalesce(s.shown_at, e.end_at), TRUE, m.session_id, NULL, m.file_id, m.line_no,
           NULL, NULL
    FROM mount m
    ASOF LEFT JOIN sign s ON s.system = m.system AND s.drive = m.drive AND s.shown_at > m.to_at
    LEFT JOIN ended e ON e.drive = m.drive
    WHERE m.status = 'cut' AND coalesce(s.shown_at, e.end_at) > m.to_at
    UNION ALL
    SELECT s.system, s.drive, 'down', s.shown_at, coalesce(s.next_at, e.end_at), s.next_at IS NULL, NULL, NULL, s.file_id, s.line_no,
           s.end_file_id, s.end_line_no
    FROM status s LEFT JOIN ended e ON e.drive = s.drive
    WHERE s.state IN ('DOWN', 'PROBING', 'CLEANINGUP', 'CLEANING_UP', 'SHUTDOWN') AND coalesce(s.next_at, e.end_at) > s.shown_at
)
