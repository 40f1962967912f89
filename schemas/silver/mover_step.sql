/*
title = "Steps of drives, from the logs of their movers"
grain = "one row per log line of a mover; a line counts once even if several files hold it"
why = "Merges Enstore's logs LOG and DEBUGLOG into one sequence of steps. Each step is assigned to its drive, its mount and its attempt to move a file."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of marked_at" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive" }
mover_host = { type = "VARCHAR", doc = "host on which the mover runs" }
marked_at = { type = "TIMESTAMP", doc = "when the line was logged" }
seq = { type = "BIGINT", doc = "order of the steps of a drive within the day" }
kind = { type = "VARCHAR", doc = "kind of step, as in bronze.enstore_log_mover" }
mode = { type = "VARCHAR", doc = "read or write; NULL where the line does not show it" }
volume = { type = "VARCHAR", doc = "tape label; NULL where the line does not show it" }
session_id = { type = "VARCHAR", doc = "identifier of the mount to which the step belongs; NULL between mounts" }
attempt_id = { type = "VARCHAR", was = "try_id", doc = "identifier of the attempt (to move a file) to which the step belongs. An attempt starts when the mover takes a request, or with the first line about the work if the log lacks the request. It ends with the next request, a failed mount, a restart or a hole in the log. A dismount also ends it, unless the mover makes room for the requested tape. NULL between attempts" }
is_after_hole = { type = "BOOLEAN", doc = "true if the log has a hole between the previous step and this one, and the drive was in use before the hole" }
file_number = { type = "BIGINT", doc = "number of the file on the volume. `position` lines: the file to which the tape is moved. Other lines: the file at the position that the line shows" }
bytes = { type = "BIGINT", unit = "bytes", doc = "number of bytes. `started` lines: bytes to move. `data_ended` and `drive_stats` lines: bytes moved to or from tape, including the wrapper (Enstore's file format on tape)" }
block_address = { type = "BIGINT", doc = "in `filemark` and `drive_stats` lines, logical block address on the tape after the file; 0 where the drive does not report the address" }
buffer_s = { type = "DOUBLE", unit = "s", doc = "in `timing` lines, time spent waiting for the memory buffer; the log names this time pull (write) or push (read)" }
call_s = { type = "DOUBLE", unit = "s", doc = "in `timing` lines, time inside the drive's write or read calls" }
checksum_s = { type = "DOUBLE", unit = "s", doc = "in `timing` lines, time to compute checksums" }
space_s = { type = "DOUBLE", unit = "s", doc = "in `timing` lines, time to obtain buffer space; the log names this time freespace (write) or get_space (read)" }
block_s = { type = "DOUBLE", unit = "s", doc = "time in the loop over blocks: block_write or block_read in `timing` lines, block_*_tot in `drive_stats` lines" }
idle_s = { type = "DOUBLE", unit = "s", doc = "time outside block calls in which the buffer was empty (write) or full (read); only in `timing` lines" }
read_errors = { type = "BIGINT", doc = "in `drive_stats` lines, read errors while the file was moved; NULL where not known" }
write_errors = { type = "BIGINT", doc = "in `drive_stats` lines, write errors while the file was moved; NULL where not known" }
unique_id = { type = "VARCHAR", doc = "request id" }
file_bytes = { type = "BIGINT", unit = "bytes", doc = "size of the user's file" }
volume_family = { type = "VARCHAR", doc = "volume family of the file: storage group (owner of the file), file family (files that share tapes) and wrapper (file format on tape)" }
queued_at = { type = "TIMESTAMP", doc = "when the request for the file was queued" }
error = { type = "VARCHAR", doc = "name of the error" }
error_source = { type = "VARCHAR", doc = "part of the system that caused the error, according to the log" }
message = { type = "VARCHAR", doc = "text of the message, at most 300 characters" }
file_id = { type = "VARCHAR", doc = "file from which the row was made" }
line_no = { type = "BIGINT", doc = "number of the line in file_id from which the row was made" }

[[checks]]
expectation = "ExpectColumnValuesToNotBeNull"
column = "drive"
severity = "critical"
*/
WITH
-- Several files (copies or parts of one log) may hold the same second of a mover: the lines of one event get one number.
shared AS (
    SELECT {'system': l.system, 'name': l.name, 'at': l.logged_at} AS moment, l.file_id, l.line_no,
           dense_rank() OVER (PARTITION BY l.system, l.name, l.logged_at
                              ORDER BY l.host, l.pid, l.message_hash, l.nth) AS event
    FROM bronze.enstore_log_mover l
    JOIN (SELECT system, name, logged_at FROM bronze.enstore_log_mover
          GROUP BY system, name, logged_at
          HAVING min(file_id) <> max(file_id) OR count(*) > count(DISTINCT hash(host, pid, message_hash, nth))) s
        ON s.system = l.system AND s.name = l.name AND s.logged_at = l.logged_at
),
-- the file that holds most of such a second; one that holds all of it gives the order alone
fullest AS (
    SELECT moment, file_id, count(DISTINCT event) AS n_held, max(max(event)) OVER (PARTITION BY moment) AS n_events
    FROM shared GROUP BY moment, file_id
    QUALIFY row_number() OVER (PARTITION BY moment ORDER BY count(DISTINCT event) DESC, file_id) = 1
),
extent AS (
    SELECT system, file_id, min(logged_at) AS first_at, max(logged_at) AS last_at
    FROM bronze.enstore_log_mover GROUP BY system, file_id
),
piece AS (
    SELECT s.*, e.first_at, e.last_at
    FROM shared s
    JOIN fullest f ON f.moment = s.moment AND f.n_held < f.n_events AND f.n_events <= 100
    JOIN extent e ON e.system = s.moment.system AND e.file_id = s.file_id
),
-- Without such a file, events follow one another as in any file that holds both of them,
link AS (
    SELECT moment, event AS earlier, lead(event) OVER (PARTITION BY moment, file_id ORDER BY line_no) AS event FROM piece
    UNION
    -- and where a log was cut, those of the part that ends come first
    SELECT a.moment, a.event, b.event
    FROM piece a JOIN piece b ON b.moment = a.moment AND b.event <> a.event
    WHERE a.first_at <= b.first_at AND a.last_at <= b.last_at AND (a.first_at < b.first_at OR a.last_at < b.last_at)
      AND a.last_at <= a.moment.at + INTERVAL 5 SECOND AND b.first_at >= a.moment.at - INTERVAL 5 SECOND
      AND NOT EXISTS (SELECT 1 FROM piece c JOIN piece d ON d.moment = c.moment AND d.file_id = c.file_id
                      WHERE c.moment = a.moment AND c.event = a.event AND d.event = b.event)
),
chain AS (
    WITH RECURSIVE reached AS (
        SELECT moment, earlier, event FROM link WHERE event IS NOT NULL
        UNION
        SELECT r.moment, r.earlier, l.event
        FROM reached r JOIN link l ON l.moment = r.moment AND l.earlier = r.event AND l.event IS NOT NULL
    )
    SELECT moment, event, count(*) AS n_before FROM reached GROUP BY moment, event
),
merged AS (
    SELECT s.file_id, s.line_no,
           CASE WHEN f.n_held < f.n_events AND f.n_events <= 100 THEN 100 * coalesce(c.n_before, 0) + s.event
                ELSE s.line_no END AS place,
           row_number() OVER (PARTITION BY s.moment, s.event
                              ORDER BY f.n_held = f.n_events AND f.file_id <> s.file_id, s.file_id, s.line_no) = 1 AS is_kept
    FROM shared s
    JOIN fullest f ON f.moment = s.moment
    LEFT JOIN chain c ON c.moment = s.moment AND c.event = s.event
),
line AS (
    SELECT l.system, l.name, l.day, l.logged_at, l.kind, l.volume, l.file_id, l.line_no,
           coalesce(t.place, l.line_no) AS place
    FROM bronze.enstore_log_mover l
    LEFT JOIN merged t ON t.file_id = l.file_id AND t.line_no = l.line_no
    WHERE t.is_kept IS DISTINCT FROM FALSE
),
-- Lines may be swapped within a second. Each kind is a stage of the mover's round from one request to the next: how
-- many of the lines that every round has are due by then, and whether it is one of them.
stage (kind, stage, n_due, is_due) AS (
    VALUES ('request', 1, 1, 1), ('ticket', 2, 2, 1), ('dismount_begun', 3, 2, 0), ('dismounting', 4, 2, 0),
           ('dismounted', 5, 2, 0), ('dismount_failed', 5, 2, 0), ('load_requested', 6, 2, 0), ('loaded', 7, 2, 0),
           ('load_failed', 7, 2, 0), ('position', 8, 2, 0), ('skipped', 8, 2, 0), ('started', 9, 3, 1),
           ('data_ended', 10, 4, 1), ('filemark', 11, 4, 0), ('timing', 12, 4, 0), ('drive_stats', 12, 4, 0),
           ('slow_drive', 12, 4, 0), ('crc_begun', 13, 4, 0), ('crc_ended', 14, 4, 0), ('completed', 15, 5, 1),
           ('failed', 15, 5, 1), ('no_access', 15, 5, 1), ('done_ticket', 16, 6, 1)
),
mark AS (
    -- 17 to 19 are the dismount of a drive without a request; any other kind leaves it as free as that
    SELECT l.system, l.name, l.day, l.logged_at, l.kind, l.volume, l.file_id, l.line_no, coalesce(s.stage, 19) AS stage,
           coalesce(s.n_due, 6) AS n_due, coalesce(s.is_due, 0) AS is_due, row_number() OVER steps AS no,
           lag(coalesce(s.stage, 19)) OVER steps AS before, lag(coalesce(s.n_due, 6)) OVER steps AS n_due_before,
           lag(l.logged_at) OVER steps = l.logged_at AS is_same
    FROM line l LEFT JOIN stage s ON s.kind = l.kind
    WINDOW steps AS (PARTITION BY l.system, l.name ORDER BY l.logged_at, l.place, l.file_id)
),
-- seconds in which a line comes that was not due, or where one that was is missing
unordered AS (
    SELECT m.system, m.name, m.logged_at, min(m.no) AS first_no, max(m.no) AS last_no
    FROM mark m
    SEMI JOIN (SELECT system, name, logged_at FROM mark
               WHERE is_same AND NOT (before >= 15 AND stage IN (1, 3, 12))
                 AND NOT (stage >= before AND n_due - n_due_before <= is_due AND NOT (before = 2 AND stage IN (4, 5)))
              ) x ON x.system = m.system AND x.name = m.name AND x.logged_at = m.logged_at
    GROUP BY m.system, m.name, m.logged_at HAVING max(m.stage) < 19 AND count(*) <= 100
),
lot AS (
    SELECT o.system, o.name, o.first_no, 0 AS side, m.file_id, m.line_no, m.no, m.stage, m.n_due, m.is_due
    FROM unordered o JOIN mark m ON m.system = o.system AND m.name = o.name AND m.logged_at = o.logged_at
    UNION ALL
    -- and the lines next to them; whether a dismount before had a request, the lines before it show
    SELECT o.system, o.name, o.first_no, -1, m.file_id, m.line_no, m.no,
           CASE WHEN m.stage BETWEEN 3 AND 5 AND NOT a.is_asked THEN m.stage + 14 ELSE m.stage END,
           CASE WHEN m.stage BETWEEN 3 AND 5 AND NOT a.is_asked THEN 6 ELSE m.n_due END, m.is_due
    FROM unordered o
    JOIN mark m ON m.system = o.system AND m.name = o.name AND m.no = o.first_no - 1
    ASOF LEFT JOIN (SELECT system, name, no, stage < 3 AS is_asked FROM mark WHERE stage < 3 OR stage > 14) a
        ON a.system = o.system AND a.name = o.name AND o.first_no > a.no
    UNION ALL
    SELECT o.system, o.name, o.first_no, 1, m.file_id, m.line_no, m.no, m.stage, m.n_due, m.is_due
    FROM unordered o JOIN mark m ON m.system = o.system AND m.name = o.name AND m.no = o.last_no + 1
),
-- the orders there are: as the lines came, or the round from any of their stages on
candidate AS (
    SELECT l.* EXCLUDE (stage, n_due), f.from_stage, d.shift,
           CASE WHEN l.side >= 0 AND l.stage BETWEEN 3 AND 5 THEN l.stage + d.shift ELSE l.stage END AS stage,
           CASE WHEN l.side >= 0 AND l.stage BETWEEN 3 AND 5 AND d.shift > 0 THEN 6 ELSE l.n_due END AS n_due
    FROM lot l
    JOIN (SELECT DISTINCT system, name, first_no, unnest([0, stage]) AS from_stage FROM lot WHERE side = 0) f
        ON f.system = l.system AND f.name = l.name AND f.first_no = l.first_no
    CROSS JOIN (VALUES (0), (14)) d (shift)
),
turned AS (
    SELECT *, row_number() OVER trial AS turn, lag(stage) OVER trial AS before, lag(n_due) OVER trial AS n_due_before
    FROM candidate
    WINDOW trial AS (
        PARTITION BY system, name, first_no, from_stage, shift
        ORDER BY side, CASE WHEN from_stage = 0 THEN 0
                            WHEN from_stage BETWEEN 3 AND 5 THEN (stage - from_stage - shift + 38) % 19
                            ELSE (stage - from_stage + 19) % 19 END, no)
),
-- the one that lacks the fewest lines; as they came, if that is one of them
likely AS (
    SELECT system, name, first_no, from_stage, shift
    FROM turned
    GROUP BY system, name, first_no, from_stage, shift
    QUALIFY row_number() OVER (
        PARTITION BY system, name, first_no
        ORDER BY sum(CASE WHEN stage = before THEN 100 * is_due
                          WHEN stage = 12 AND before IN (15, 16) THEN 0
                          WHEN stage > before THEN n_due - n_due_before - is_due
                          ELSE 6 + n_due - n_due_before - is_due END
                     + CASE WHEN before IN (3, 4) AND stage NOT IN (3, 4, 5)
                              OR before IN (17, 18) AND stage NOT IN (17, 18, 19) THEN 1 ELSE 0 END),
                 from_stage, shift) = 1
),
step AS (
    SELECT m.system, coalesce(d.drive, regexp_replace(m.name, 'MV$', '')) AS drive, m.day, m.logged_at, m.kind, m.volume,
           m.file_id, m.line_no,
           row_number() OVER (PARTITION BY m.system, m.name, m.day ORDER BY m.logged_at, t.turn, m.no) AS seq
    FROM mark m
    LEFT JOIN (SELECT t.file_id, t.line_no, t.turn
               FROM turned t JOIN likely k USING (system, name, first_no, from_stage, shift) WHERE t.side = 0) t
        ON t.file_id = m.file_id AND t.line_no = m.line_no
    LEFT JOIN site.drive d ON d.logname = m.name
),
placed AS (
    SELECT s.*,
           lag(logged_at) OVER steps AS previous_at,
           last_value(CASE WHEN kind IN ('load_requested', 'loaded', 'load_failed', 'position', 'started', 'data_ended',
                                         'dismounted', 'restart')
                           THEN kind END IGNORE NULLS) OVER earlier AS boundary_kind,
           last_value(CASE WHEN kind IN ('request', 'ticket') THEN TRUE
                           WHEN kind IN ('load_requested', 'loaded', 'load_failed', 'position', 'skipped', 'started',
                                         'data_ended', 'completed', 'failed', 'restart')
                           THEN FALSE END IGNORE NULLS) OVER earlier AS is_new_request,
           last_value(CASE WHEN kind IN ('data_ended', 'completed', 'failed') THEN TRUE
                           WHEN kind IN ('request', 'ticket', 'position', 'started',
                                         'dismounted', 'load_failed', 'restart') THEN FALSE END IGNORE NULLS)
               OVER earlier AS is_over,
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
-- a request for another tape: the mover dismounts the tape it has, and the request goes on with the next mount
freed AS (
    SELECT *,
           kind IN ('load_failed', 'restart') OR (kind = 'dismounted' AND is_new_request IS DISTINCT FROM TRUE) AS frees_drive
    FROM placed
),
used AS (
    SELECT *,
           -- nothing spans a time at which the drive was free: builds of single days depend on this
           last_value(CASE WHEN kind NOT IN ('ticket', 'done_ticket', 'timing', 'drive_stats', 'slow_drive', 'no_access',
                                             'assert')
                           THEN frees_drive OR kind = 'cleaning_ended' END IGNORE NULLS) OVER earlier AS was_free,
           last_value(CASE WHEN kind IN ('request', 'ticket') THEN TRUE WHEN frees_drive THEN FALSE END IGNORE NULLS)
               OVER earlier AS is_asked
    FROM freed
    WINDOW earlier AS (PARTITION BY system, drive ORDER BY day, seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
holed AS (
    SELECT u.*,
           EXISTS (SELECT 1 FROM silver.coverage_gap h
                   WHERE NOT u.was_free AND h.host = u.system AND h.from_at >= u.previous_at AND h.to_at <= u.logged_at)
               AS is_after_hole
    FROM used u
),
flagged AS (
    SELECT *,
           kind = 'load_requested'
           OR (kind IN ('position', 'started', 'data_ended')
               AND (boundary_kind IS NULL OR boundary_kind IN ('dismounted', 'load_failed', 'restart')))
           OR (is_after_hole AND volume_after IS DISTINCT FROM volume_before
               AND coalesce(kind_after NOT IN ('load_requested', 'restart'), FALSE)) AS begins_session,
           -- the volume left the drive in the hole, and the next one is not there yet
           is_after_hole AND volume_after IS DISTINCT FROM volume_before
               AND coalesce(kind_after IN ('load_requested', 'restart'), TRUE) AS leaves_session
    FROM holed
),
tried AS (
    SELECT *,
           -- where the log starts after a request, the attempt starts with the first line there
           kind = 'request' OR is_after_hole OR (NOT coalesce(is_asked, FALSE) AND (kind = 'ticket' OR begins_session))
           -- also where the line of its request is missing
           OR (is_over AND kind IN ('ticket', 'position', 'started')) AS begins_try
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
           last_value(CASE WHEN begins_try THEN TRUE WHEN frees_drive THEN FALSE END IGNORE NULLS) OVER earlier AS is_in_try
    FROM tried
    WINDOW upto AS (PARTITION BY system, drive ORDER BY day, seq ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
           earlier AS (PARTITION BY system, drive ORDER BY day, seq ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
named AS (
    SELECT *,
           CASE WHEN begins_session OR (is_in_session AND NOT leaves_session)
                THEN concat_ws(' ', drive, session_volume, strftime(session_from, '%Y-%m-%dT%H:%M:%SZ')) END AS session_id,
           CASE WHEN begins_try OR is_in_try
                THEN concat_ws(' ', drive, strftime(try_from, '%Y-%m-%dT%H:%M:%SZ')) END AS attempt_id
    FROM numbered
),
counter AS (
    SELECT n.system, n.drive, n.day, n.seq, n.session_id, n.session_begun_by, n.file_id, n.line_no,
           -- the version that changed the rate's meaning restarts the counters with each file
           coalesce(l.rate_basis = 'block', l.logged_at < TIMESTAMP '2010-07-20') AS is_cumulative,
           CASE WHEN l.read_errors >= 0 THEN l.read_errors END AS read_count,
           CASE WHEN l.write_errors >= 0 THEN l.write_errors END AS write_count
    FROM named n
    JOIN bronze.enstore_log_mover l ON l.file_id = n.file_id AND l.line_no = n.line_no
    WHERE n.kind = 'drive_stats' AND l.kind = 'drive_stats'
),
counted AS (
    SELECT *,
           -- a mount that was logged from its start counts from zero; for others the first count means nothing
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
SELECT l.day, l.system, n.drive, l.host AS mover_host, l.logged_at AS marked_at, n.seq, l.kind, l.mode, l.volume,
       n.session_id, n.attempt_id, n.is_after_hole, l.file_number, l.bytes, l.block_address, l.buffer_s, l.call_s,
       l.checksum_s, l.space_s, l.block_s, l.idle_s, n.read_errors, n.write_errors, l.unique_id, l.file_bytes,
       l.volume_family, l.queued_at, l.error, l.error_source, l.message, l.file_id, l.line_no
FROM bronze.enstore_log_mover l
JOIN (SELECT n.*, f.read_errors, f.write_errors
      FROM named n LEFT JOIN failing f ON f.file_id = n.file_id AND f.line_no = n.line_no) n
    ON n.file_id = l.file_id AND n.line_no = l.line_no
