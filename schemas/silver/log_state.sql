/*
title = "States of drives from the logs of their movers"
grain = "one row per interval in which a drive was in one state, between two steps that its mover logged. In time without a row, the drive was idle if a log covers that time"
why = "Shows the states of a drive, from the mover's log lines at the start and end of each state. No state between two steps extends over a hole in the log."
partition = "day"
lineage = ["file_id", "line_no", "end_file_id", "end_line_no"]
features = ["D4"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive" }
state = { type = "VARCHAR", doc = "state of the drive, as in silver.drive_state. The state is unknown in a hole in the log. If the drive was neither down nor idle, the state is also unknown from the last step before a restart, and after the last step in the log" }
from_at = { type = "TIMESTAMP", doc = "start" }
to_at = { type = "TIMESTAMP", doc = "end" }
is_inferred = { type = "BOOLEAN", doc = "true if the start or end is not the time of a log line about the drive. The time is then the start or end of a hole in the log, or the end of the log" }
session_id = { type = "VARCHAR", doc = "identifier of the mount to which the state belongs" }
attempt_id = { type = "VARCHAR", was = "try_id", doc = "identifier of the attempt to move a file during which the state began" }
file_id = { type = "VARCHAR", doc = "log file with the line at which the state starts" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }
end_file_id = { type = "VARCHAR", doc = "log file with the line that shows the end of a down state; NULL for other states, and where no line shows the end" }
end_line_no = { type = "BIGINT", doc = "number of the line in end_file_id" }

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "to_at"
column_B = "from_at"
severity = "critical"
*/
WITH ticket AS (
    SELECT system, attempt_id, max(queued_at) AS queued_at,
           -- host and process of the client command: its files queue one after another
           max(regexp_extract(unique_id, '^(.*)-[0-9]+-([0-9]+)-[0-9]+$', 1) || ' '
               || regexp_extract(unique_id, '^(.*)-[0-9]+-([0-9]+)-[0-9]+$', 2)) AS client
    FROM silver.mover_step
    WHERE kind = 'ticket'
    GROUP BY system, attempt_id
),
mark AS (
    SELECT m.system, m.drive, m.day, m.seq, m.kind, m.mode, m.marked_at, m.session_id, m.attempt_id, m.file_id, m.line_no,
           t.queued_at, t.client,
           lead(m.kind) OVER w AS next_kind,
           lead(m.marked_at) OVER w AS next_at, lead(m.file_id) OVER w AS next_file_id, lead(m.line_no) OVER w AS next_line_no,
           lead(m.attempt_id) OVER w AS next_try_id,
           lead(m.session_id) OVER w AS next_session_id,
           lead(t.queued_at) OVER w AS next_queued_at,
           lead(t.client) OVER w AS next_client,
           lag(m.kind) OVER w AS previous_kind, lag(m.marked_at) OVER w AS previous_at
    FROM silver.mover_step m LEFT JOIN ticket t ON t.system = m.system AND t.attempt_id = m.attempt_id
    WHERE m.kind IN ('restart', 'offline', 'error', 'request', 'load_requested', 'loaded', 'load_failed', 'position',
                     'skipped', 'started', 'data_ended', 'filemark', 'crc_begun', 'crc_ended', 'completed', 'failed',
                     'dismount_begun', 'dismounting', 'dismounted', 'dismount_failed', 'cleaning_begun',
                     'cleaning_ended')
    WINDOW w AS (PARTITION BY m.system, m.drive ORDER BY m.day, m.seq)
),
preceded AS (
    SELECT *,
           CASE
               WHEN kind = 'data_ended' THEN 'transfer'
               WHEN kind = 'filemark' THEN 'filemark'
               WHEN kind = 'crc_ended' THEN 'checksum'
               WHEN kind IN ('completed', 'crc_begun') THEN 'database'
               WHEN kind IN ('skipped', 'failed') THEN 'position'
               WHEN kind IN ('position', 'started') THEN 'start'
               WHEN kind IN ('loaded', 'load_failed') THEN 'mount'
               WHEN kind IN ('dismounting', 'dismounted', 'dismount_failed') THEN 'dismount'
               WHEN kind = 'dismount_begun' THEN 'no_request'
               WHEN kind = 'request' AND session_id IS NOT NULL THEN 'request'
               ELSE 'idle'
           END AS state_before
    FROM mark
),
stated AS (
    SELECT *,
           CASE
               WHEN kind IN ('offline', 'error', 'cleaning_begun', 'dismount_failed') THEN 'down'
               WHEN kind IN ('restart', 'cleaning_ended', 'load_failed', 'dismounted') THEN 'idle'
               WHEN next_kind = 'restart' THEN 'unknown'
               WHEN kind = 'request' AND next_kind = 'load_requested' THEN 'mount'
               WHEN kind = 'request' AND next_kind IN ('dismount_begun', 'dismounting') THEN 'dismount'
               WHEN kind = 'request' THEN 'start'
               WHEN kind IN ('load_requested', 'loaded') THEN 'mount'
               WHEN kind IN ('position', 'skipped') AND next_kind IN ('skipped', 'failed') THEN 'position'
               WHEN kind IN ('position', 'skipped') THEN 'start'
               WHEN kind = 'started' THEN 'transfer'
               WHEN kind = 'data_ended' AND next_kind = 'filemark' THEN 'filemark'
               -- the file is read back to check it: neither part of its transfer nor database work
               WHEN kind = 'crc_begun' THEN 'checksum'
               WHEN kind IN ('data_ended', 'filemark', 'crc_ended') THEN 'database'
               WHEN kind IN ('completed', 'failed') AND next_kind = 'request' THEN 'request'
               WHEN kind IN ('completed', 'failed') THEN 'no_request'
               ELSE 'dismount'
           END AS state,
           CASE WHEN kind = 'started' AND next_kind = 'failed' THEN 'transfer' ELSE lead(state_before) OVER w END
               AS state_before_next
    FROM preceded
    WINDOW w AS (PARTITION BY system, drive ORDER BY day, seq)
),
hole AS (
    SELECT a.system, a.drive, a.day, a.seq, h.from_at, h.to_at,
           lead(h.from_at) OVER (PARTITION BY a.system, a.drive, a.day, a.seq ORDER BY h.from_at) AS next_hole_at
    FROM mark a JOIN silver.coverage_gap h
        ON h.host = a.system AND h.from_at >= a.marked_at
       AND (h.to_at <= a.next_at OR a.next_at IS NULL AND a.kind IN ('offline', 'error', 'cleaning_begun', 'dismount_failed'))
),
holed AS (
    SELECT s.*, h.hole_from_at, h.hole_to_at,
           -- the next line returns the drive to service, or there is none: it was down on both sides of every hole
           s.state = 'down' AND coalesce(s.next_kind IN ('restart', 'cleaning_ended'), s.next_at IS NULL) AS is_down_until_next
    FROM stated s
    LEFT JOIN (SELECT system, drive, day, seq, min(from_at) AS hole_from_at, max(to_at) AS hole_to_at FROM hole
               GROUP BY system, drive, day, seq) h
        ON h.system = s.system AND h.drive = s.drive AND h.day = s.day AND h.seq = s.seq
),
ended AS (
    SELECT h.*, e.end_at
    FROM holed h
    LEFT JOIN (SELECT host AS system, max(to_at) AS end_at FROM silver.log_coverage WHERE speaks_for = 'drives'
               GROUP BY host) e ON e.system = h.system
),
piece AS (
    -- a client's next command may have been queued only while the drive waited: until then there was no request
    SELECT system, drive, CASE WHEN state = 'request' THEN 'no_request' ELSE state END AS state, marked_at AS from_at,
           CASE WHEN state <> 'request' THEN next_at
                WHEN next_queued_at > marked_at AND next_client IS DISTINCT FROM client
                    THEN least(next_queued_at, next_at)
                ELSE marked_at END AS to_at,
           FALSE AS is_inferred, session_id, attempt_id, file_id, line_no, CASE state WHEN 'down' THEN next_file_id END AS end_file_id,
           CASE state WHEN 'down' THEN next_line_no END AS end_line_no
    FROM ended WHERE next_at IS NOT NULL AND hole_from_at IS NULL
    UNION ALL
    SELECT system, drive, state,
           CASE WHEN next_queued_at > marked_at AND next_client IS DISTINCT FROM client
                    THEN least(next_queued_at, next_at)
                ELSE marked_at END, next_at, FALSE, session_id, attempt_id, file_id, line_no, NULL, NULL
    FROM ended WHERE next_at IS NOT NULL AND hole_from_at IS NULL AND state = 'request'
    UNION ALL
    -- whether work waited after a file before the hole is not known, so it is not priced
    SELECT system, drive, CASE WHEN state = 'request' THEN 'no_request' ELSE state END, marked_at, hole_from_at, TRUE,
           session_id, attempt_id, file_id, line_no, NULL, NULL
    FROM ended WHERE hole_from_at IS NOT NULL
    UNION ALL
    -- after an idle state the hole needs no row: time that no log covers is unknown
    SELECT system, drive, 'unknown', hole_from_at, hole_to_at, TRUE, NULL, NULL, file_id, line_no, NULL, NULL
    FROM ended WHERE hole_from_at IS NOT NULL AND state <> 'idle' AND NOT is_down_until_next
    UNION ALL
    SELECT system, drive, state_before_next, hole_to_at, next_at, TRUE, next_session_id, next_try_id, file_id, line_no, NULL, NULL
    FROM ended WHERE hole_from_at IS NOT NULL AND state <> 'idle' AND NOT is_down_until_next
    UNION ALL
    SELECT e.system, e.drive, 'unknown', h.from_at, h.to_at, TRUE, NULL, NULL, e.file_id, e.line_no, NULL, NULL
    FROM ended e JOIN hole h ON h.system = e.system AND h.drive = e.drive AND h.day = e.day AND h.seq = e.seq
    WHERE e.is_down_until_next
    UNION ALL
    SELECT e.system, e.drive, 'down', h.to_at, coalesce(h.next_hole_at, e.next_at, e.end_at), TRUE, e.session_id, e.attempt_id, e.file_id,
           e.line_no, CASE WHEN h.next_hole_at IS NULL THEN e.next_file_id END,
           CASE WHEN h.next_hole_at IS NULL THEN e.next_line_no END
    FROM ended e JOIN hole h ON h.system = e.system AND h.drive = e.drive AND h.day = e.day AND h.seq = e.seq
    WHERE e.is_down_until_next
    UNION ALL
    -- a drive that was idle, or of which no earlier step is known: its last step may be on a day that is not read
    SELECT m.system, m.drive, m.state_before, max(h.to_at), m.marked_at, TRUE, m.session_id, m.attempt_id, m.file_id, m.line_no,
           NULL, NULL
    FROM preceded m JOIN silver.coverage_gap h
        ON h.host = m.system AND h.to_at <= m.marked_at AND CAST(h.to_at AS DATE) = CAST(m.marked_at AS DATE)
           AND h.from_at >= coalesce(m.previous_at, h.from_at)
    WHERE coalesce(m.previous_kind IN ('restart', 'cleaning_ended', 'load_failed', 'dismounted'), TRUE)
    GROUP BY ALL
    UNION ALL
    -- the last known step: a drive that is down stays down; the end of any other open state is unknown
    SELECT system, drive, CASE WHEN state = 'down' THEN 'down' ELSE 'unknown' END, marked_at, end_at, TRUE,
           session_id, attempt_id, file_id, line_no, NULL, NULL
    FROM ended WHERE next_at IS NULL AND state <> 'idle' AND hole_from_at IS NULL
)
SELECT CAST(from_at AS DATE) AS day, system, drive, state, from_at, to_at, is_inferred, session_id, attempt_id, file_id, line_no,
       end_file_id, end_line_no
FROM piece
WHERE to_at > from_at AND state <> 'idle'
