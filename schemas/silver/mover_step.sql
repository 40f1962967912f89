/*
title = "Steps of a drive's mover"
grain = "one row per mover log line, once however many files hold it"
why = "LOG and DEBUGLOG merged, log names mapped to drives, every step placed in its mount and its try at a file."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of marked_at" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive" }
mover_host = { type = "VARCHAR", doc = "host of the mover" }
marked_at = { type = "TIMESTAMP", doc = "instant of the line" }
seq = { type = "BIGINT", doc = "order within drive and day" }
kind = { type = "VARCHAR", doc = "step, as in bronze.enstore_log_mover" }
mode = { type = "VARCHAR", doc = "read or write, where the line says so" }
volume = { type = "VARCHAR", doc = "tape label, where the line says so" }
session_id = { type = "VARCHAR", doc = "mount the step belongs to; NULL between mounts" }
try_id = { type = "VARCHAR", doc = "try at one file the step belongs to: from the mover's request to the next" }
is_after_hole = { type = "BOOLEAN", doc = "the log has a hole between this step and the one before" }
file_number = { type = "BIGINT", doc = "as in bronze" }
bytes = { type = "BIGINT", unit = "bytes", doc = "as in bronze" }
block_address = { type = "BIGINT", doc = "as in bronze" }
buffer_s = { type = "DOUBLE", unit = "s", doc = "as in bronze" }
call_s = { type = "DOUBLE", unit = "s", doc = "as in bronze" }
checksum_s = { type = "DOUBLE", unit = "s", doc = "as in bronze" }
space_s = { type = "DOUBLE", unit = "s", doc = "as in bronze" }
block_s = { type = "DOUBLE", unit = "s", doc = "as in bronze" }
idle_s = { type = "DOUBLE", unit = "s", doc = "as in bronze" }
read_errors = { type = "BIGINT", doc = "drive_stats: read errors during this file; NULL where unknown" }
write_errors = { type = "BIGINT", doc = "drive_stats: write errors during this file; NULL where unknown" }
unique_id = { type = "VARCHAR", doc = "request id" }
file_bytes = { type = "BIGINT", unit = "bytes", doc = "size of the user's file" }
volume_family = { type = "VARCHAR", doc = "storage group, file family, wrapper" }
queued_at = { type = "TIMESTAMP", doc = "when the request was queued" }
error = { type = "VARCHAR", doc = "error name" }
error_source = { type = "VARCHAR", doc = "part of the system the error is put down to" }
message = { type = "VARCHAR", doc = "the message, at most 300 characters" }
file_id = { type = "VARCHAR", doc = "file the row comes from" }
line_no = { type = "BIGINT", doc = "line of that file" }

[[checks]]
expectation = "ExpectColumnValuesToNotBeNull"
column = "drive"
severity = "critical"
*/
WITH line AS (
    SELECT *
    FROM bronze.enstore_log_mover
    QUALIFY row_number() OVER (
        PARTITION BY system, logged_at, host, pid, name, message_hash, nth ORDER BY file_id, line_no
    ) = 1
),
step AS (
    SELECT l.*, coalesce(d.drive, regexp_replace(l.name, 'MV$', '')) AS drive,
           row_number() OVER (PARTITION BY l.system, l.name, l.day ORDER BY l.logged_at, l.line_no, l.file_id) AS seq
    FROM line l LEFT JOIN site.drive d ON d.logname = l.name
),
placed AS (
    SELECT s.*,
           lag(logged_at) OVER steps AS previous_at,
           last_value(CASE WHEN kind IN ('load_requested', 'loaded', 'load_failed', 'position', 'started', 'data_ended',
                                         'dismounted', 'restart')
                           THEN kind END IGNORE NULLS) OVER earlier AS boundary_kind,
           -- nothing reaches over a time at which the drive was free: builds of single days rest on this
           last_value(CASE WHEN kind NOT IN ('ticket', 'done_ticket', 'timing', 'drive_stats', 'slow_drive', 'no_access',
                                             'assert')
                           THEN kind IN ('dismounted', 'load_failed', 'restart', 'cleaning_ended') END IGNORE NULLS)
               OVER earlier AS was_free,
           last_value(CASE WHEN kind IN ('request', 'ticket') THEN TRUE
                           WHEN kind IN ('dismounted', 'load_failed', 'restart') THEN FALSE END IGNORE NULLS)
               OVER earlier AS is_asked,
           last_value(CASE WHEN kind NOT IN ('request', 'ticket', 'done_ticket') THEN volume END IGNORE NULLS)
               OVER earlier AS volume_before,
           first_value(CASE WHEN kind NOT IN ('request', 'ticket', 'done_ticket') THEN volume END IGNORE NULLS)
               OVER later AS volume_after,
           first_value(CASE WHEN kind IN ('load_requested', 'loaded', 'load_failed', 'position', 'skipped', 'started',
                                          'data_ended', 'filemark', 'timing', 'drive_stats', 'completed', 'failed',
                                          'dismount_begun', 'dismounting', 'dismounted', 'dismount_failed', 'restart')
                            THEN kind END IGNORE NULLS) OVER later AS kind_after
    FROM step s
    WINDOW steps AS (PARTITION BY system, drive ORDER BY day, seq),
           earlier AS (PARTITION BY system, drive ORDER BY day, seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
           later AS (PARTITION BY system, drive ORDER BY day, seq ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
),
holed AS (
    SELECT p.*, h.from_at IS NOT NULL AS is_after_hole
    FROM placed p
    LEFT JOIN silver.log_hole h
        ON NOT p.was_free AND h.system = p.system AND h.from_at >= p.previous_at AND h.to_at <= p.logged_at
    QUALIFY row_number() OVER (PARTITION BY p.system, p.drive, p.day, p.seq ORDER BY h.to_at DESC) = 1
),
flagged AS (
    SELECT *,
           kind = 'load_requested'
           OR (kind IN ('position', 'started', 'data_ended')
               AND (boundary_kind IS NULL OR boundary_kind IN ('dismounted', 'load_failed', 'restart')))
           OR (is_after_hole AND volume_after IS DISTINCT FROM volume_before
               AND coalesce(kind_after NOT IN ('load_requested', 'restart'), FALSE)) AS begins_session,
           -- the volume went in the hole, and the next one is yet to come
           is_after_hole AND volume_after IS DISTINCT FROM volume_before
               AND coalesce(kind_after IN ('load_requested', 'restart'), TRUE) AS leaves_session
    FROM holed
),
tried AS (
    SELECT *,
           -- where the log begins behind a request, the try begins with what is there
           kind = 'request' OR is_after_hole OR (NOT coalesce(is_asked, FALSE) AND (kind = 'ticket' OR begins_session))
               AS begins_try
    FROM flagged
),
numbered AS (
    SELECT *,
           last_value(CASE WHEN begins_session THEN logged_at END IGNORE NULLS) OVER upto AS session_from,
           last_value(CASE WHEN begins_session THEN volume_after END IGNORE NULLS) OVER upto AS session_volume,
           last_value(CASE WHEN begins_session THEN kind END IGNORE NULLS) OVER upto AS session_begun_by,
           last_value(CASE WHEN begins_session THEN TRUE
                           WHEN leaves_session OR kind IN ('dismounted', 'load_failed', 'restart') THEN FALSE
                           END IGNORE NULLS) OVER earlier AS is_in_session,
           last_value(CASE WHEN begins_try THEN logged_at END IGNORE NULLS) OVER upto AS try_from,
           last_value(CASE WHEN begins_try THEN TRUE
                           WHEN kind IN ('dismounted', 'load_failed', 'restart') THEN FALSE END IGNORE NULLS)
               OVER earlier AS is_in_try
    FROM tried
    WINDOW upto AS (PARTITION BY system, drive ORDER BY day, seq ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
           earlier AS (PARTITION BY system, drive ORDER BY day, seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
named AS (
    SELECT *,
           CASE WHEN begins_session OR (is_in_session AND NOT leaves_session)
                THEN concat_ws(' ', drive, session_volume, strftime(session_from, '%Y-%m-%dT%H:%M:%SZ')) END AS session_id,
           CASE WHEN begins_try OR is_in_try
                THEN concat_ws(' ', drive, strftime(try_from, '%Y-%m-%dT%H:%M:%SZ')) END AS try_id
    FROM numbered
),
counter AS (
    SELECT system, drive, day, seq, session_id, session_begun_by, file_id, line_no,
           -- the version that changed the rate's meaning made the counters begin anew with each file
           coalesce(rate_basis = 'block', logged_at < TIMESTAMP '2010-07-20') AS is_cumulative,
           CASE WHEN read_errors >= 0 THEN read_errors END AS read_count,
           CASE WHEN write_errors >= 0 THEN write_errors END AS write_count
    FROM named WHERE kind = 'drive_stats'
),
counted AS (
    SELECT *,
           -- a mount that was logged from its begin counts from zero; of another the first count tells nothing
           row_number() OVER stats = 1 AND session_begun_by = 'load_requested' AS is_first,
           lag(read_count) OVER stats AS read_before, lag(write_count) OVER stats AS write_before
    FROM counter
    WINDOW stats AS (PARTITION BY system, drive, session_id ORDER BY day, seq)
),
failing AS (
    SELECT file_id, line_no,
           CASE WHEN NOT is_cumulative OR (is_first AND session_id IS NOT NULL) THEN read_count
                WHEN session_id IS NOT NULL AND read_count >= read_before THEN read_count - read_before END AS read_errors,
           CASE WHEN NOT is_cumulative OR (is_first AND session_id IS NOT NULL) THEN write_count
                WHEN session_id IS NOT NULL AND write_count >= write_before THEN write_count - write_before END
               AS write_errors
    FROM counted
)
SELECT n.day, n.system, n.drive, n.host AS mover_host, n.logged_at AS marked_at, n.seq, n.kind, n.mode, n.volume,
       n.session_id, n.try_id, n.is_after_hole, n.file_number, n.bytes, n.block_address, n.buffer_s, n.call_s,
       n.checksum_s, n.space_s, n.block_s, n.idle_s, f.read_errors, f.write_errors, n.unique_id, n.file_bytes,
       n.volume_family, n.queued_at, n.error, n.error_source, n.message, n.file_id, n.line_no
FROM named n
LEFT JOIN failing f ON f.file_id = n.file_id AND f.line_no = n.line_no
