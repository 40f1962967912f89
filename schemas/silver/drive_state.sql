/*
title = "States of drives"
grain = "one row per interval in which a drive was in one state; what no row covers is idle where logged, else unknown"
why = "The mover's steps as a gapless story of a mount: the ledger, the gaps and the dead time are all read from it. Where the log is silent, the states the mover broadcast itself stand in."
partition = "day"
lineage = ["file_id", "line_no"]
features = ["D4"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive" }
state = { type = "VARCHAR", doc = "transfer filemark checksum database request position start no_request mount dismount down unknown" }
from_at = { type = "TIMESTAMP", doc = "begin" }
to_at = { type = "TIMESTAMP", doc = "end" }
is_inferred = { type = "BOOLEAN", doc = "an edge is not a line of the log but the edge of a hole in it" }
witness = { type = "VARCHAR", doc = "log: by the steps the mover logged; relay: by the state it broadcast, coarser, used only where no log was written" }
session_id = { type = "VARCHAR", doc = "mount it belongs to" }
try_id = { type = "VARCHAR", doc = "try at a file the step that begins it belongs to" }
file_id = { type = "VARCHAR", doc = "file of the line that begins it" }
line_no = { type = "BIGINT", doc = "that line" }

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "to_at"
column_B = "from_at"
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeInSet"
column = "witness"
value_set = ["log", "relay"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeInSet"
column = "state"
value_set = ["transfer", "filemark", "checksum", "database", "request", "position", "start", "no_request", "mount", "dismount", "down", "unknown"]
severity = "critical"
*/
WITH ticket AS (
    SELECT system, try_id, max(queued_at) AS queued_at,
           -- host and process of the client command: its files queue one after the other
           max(regexp_extract(unique_id, '^(.*)-[0-9]+-([0-9]+)-[0-9]+$', 1) || ' '
               || regexp_extract(unique_id, '^(.*)-[0-9]+-([0-9]+)-[0-9]+$', 2)) AS client
    FROM silver.mover_step
    WHERE kind = 'ticket'
    GROUP BY system, try_id
),
mark AS (
    SELECT m.system, m.drive, m.day, m.seq, m.kind, m.mode, m.marked_at, m.session_id, m.try_id, m.file_id, m.line_no,
           t.queued_at, t.client,
           lead(m.kind) OVER w AS next_kind,
           lead(m.marked_at) OVER w AS next_at,
           lead(m.try_id) OVER w AS next_try_id,
           lead(m.session_id) OVER w AS next_session_id,
           lead(t.queued_at) OVER w AS next_queued_at,
           lead(t.client) OVER w AS next_client
    FROM silver.mover_step m LEFT JOIN ticket t ON t.system = m.system AND t.try_id = m.try_id
    WHERE m.kind IN ('restart', 'offline', 'error', 'request', 'load_requested', 'loaded', 'load_failed', 'position',
                     'skipped', 'started', 'data_ended', 'filemark', 'crc_begun', 'crc_ended', 'completed', 'failed',
                     'dismount_begun', 'dismounting', 'dismounted', 'dismount_failed', 'cleaning_begun',
                     'cleaning_ended')
    WINDOW w AS (PARTITION BY m.system, m.drive ORDER BY m.day, m.seq)
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
               -- the file is read back to check it: neither its transfer nor the databases' doing
               WHEN kind = 'crc_begun' THEN 'checksum'
               WHEN kind IN ('data_ended', 'filemark', 'crc_ended') THEN 'database'
               WHEN kind IN ('completed', 'failed') AND next_kind = 'request' THEN 'request'
               WHEN kind IN ('completed', 'failed') THEN 'no_request'
               ELSE 'dismount'
           END AS state,
           CASE
               WHEN next_kind = 'data_ended' OR (next_kind = 'failed' AND kind = 'started') THEN 'transfer'
               WHEN next_kind = 'filemark' THEN 'filemark'
               WHEN next_kind = 'crc_ended' THEN 'checksum'
               WHEN next_kind IN ('completed', 'crc_begun') THEN 'database'
               WHEN next_kind IN ('skipped', 'failed') THEN 'position'
               WHEN next_kind IN ('position', 'started') THEN 'start'
               WHEN next_kind IN ('loaded', 'load_failed') THEN 'mount'
               WHEN next_kind IN ('dismounting', 'dismounted', 'dismount_failed') THEN 'dismount'
               WHEN next_kind = 'dismount_begun' THEN 'no_request'
               WHEN next_kind = 'request' AND next_session_id IS NOT NULL THEN 'request'
               ELSE 'idle'
           END AS state_before_next
    FROM mark
),
holed AS (
    SELECT s.*, h.hole_from_at, h.hole_to_at
    FROM stated s
    LEFT JOIN (
        SELECT a.system, a.drive, a.day, a.seq, min(h.from_at) AS hole_from_at, max(h.to_at) AS hole_to_at
        FROM mark a JOIN silver.log_hole h
            ON h.system = a.system AND h.from_at >= a.marked_at AND h.to_at <= a.next_at
        GROUP BY a.system, a.drive, a.day, a.seq
    ) h ON h.system = s.system AND h.drive = s.drive AND h.day = s.day AND h.seq = s.seq
),
ended AS (
    SELECT h.*, e.end_at
    FROM holed h
    LEFT JOIN (SELECT host AS system, max(to_at) AS end_at FROM silver.log_seen WHERE source = 'enstore_log'
               GROUP BY host) e ON e.system = h.system
),
piece AS (
    -- a client's next command may have been queued only while the drive waited: until then nobody wanted it
    SELECT system, drive, CASE WHEN state = 'request' THEN 'no_request' ELSE state END AS state, marked_at AS from_at,
           CASE WHEN state <> 'request' THEN next_at
                WHEN next_queued_at > marked_at AND next_client IS DISTINCT FROM client
                    THEN least(next_queued_at, next_at)
                ELSE marked_at END AS to_at,
           FALSE AS is_inferred, session_id, try_id, file_id, line_no
    FROM ended WHERE next_at IS NOT NULL AND hole_from_at IS NULL
    UNION ALL
    SELECT system, drive, state,
           CASE WHEN next_queued_at > marked_at AND next_client IS DISTINCT FROM client
                    THEN least(next_queued_at, next_at)
                ELSE marked_at END, next_at, FALSE, session_id, try_id, file_id, line_no
    FROM ended WHERE next_at IS NOT NULL AND hole_from_at IS NULL AND state = 'request'
    UNION ALL
    -- what followed a file before the hole is not known to have been work that waited: it is not priced
    SELECT system, drive, CASE WHEN state = 'request' THEN 'no_request' ELSE state END, marked_at, hole_from_at, TRUE,
           session_id, try_id, file_id, line_no
    FROM ended WHERE hole_from_at IS NOT NULL
    UNION ALL
    SELECT system, drive, 'unknown', hole_from_at, hole_to_at, TRUE, NULL, NULL, file_id, line_no
    FROM ended WHERE hole_from_at IS NOT NULL
    UNION ALL
    SELECT system, drive, state_before_next, hole_to_at, next_at, TRUE, next_session_id, next_try_id, file_id, line_no
    FROM ended WHERE hole_from_at IS NOT NULL
    UNION ALL
    -- the last step known: a drive that is down stays so; of any other open state we know nothing further
    SELECT system, drive, CASE WHEN state = 'down' THEN 'down' ELSE 'unknown' END, marked_at, end_at, TRUE,
           session_id, try_id, file_id, line_no
    FROM ended WHERE next_at IS NULL AND state <> 'idle'
),
-- What movers broadcast of themselves. It knows neither file marks nor whether work waited, so the log comes first.
heard AS (
    SELECT *, count(*) OVER (PARTITION BY file_id) AS n_held,
           row_number() OVER (PARTITION BY system, mover, logged_at, state, file_id ORDER BY line_no) AS nth,
           min(logged_at) OVER (PARTITION BY file_id) AS first_at, max(logged_at) OVER (PARTITION BY file_id) AS last_at
    FROM bronze.enstore_relay WHERE kind = 'state'
),
told AS (
    SELECT r.system, coalesce(d.drive, r.mover) AS drive, r.logged_at AS from_at, r.first_at, r.last_at, r.file_id,
           r.line_no,
           CASE r.state WHEN 'SETUP' THEN 'start' WHEN 'MOUNT_WAIT' THEN 'mount' WHEN 'SEEK' THEN 'position'
                        WHEN 'ACTIVE' THEN 'transfer' WHEN 'FINISH_WRITE' THEN 'database'
                        WHEN 'HAVE_BOUND' THEN 'no_request' WHEN 'DISMOUNT_WAIT' THEN 'dismount'
                        WHEN 'CLEANING' THEN 'down' WHEN 'OFFLINE' THEN 'down' WHEN 'ERROR' THEN 'down'
                        WHEN 'IDLE' THEN 'idle' ELSE 'unknown' END AS state
    FROM heard r LEFT JOIN site.drive d ON d.mover = r.mover || '.mover'
    -- two captures of one day say the same; the larger one gives the order of a second
    QUALIFY row_number() OVER (
        PARTITION BY r.system, r.mover, r.logged_at, r.state, r.nth ORDER BY r.n_held DESC, r.file_id, r.line_no) = 1
),
following AS (
    -- a capture cut within a second: the part that begins or ends first comes first
    SELECT *, lead(from_at) OVER (PARTITION BY system, drive ORDER BY from_at, first_at, last_at, file_id, line_no) AS next_at
    FROM told
),
-- runs of coverage, joined where they were only cut at midnight
edge AS (
    SELECT source, host AS system, from_at, to_at,
           from_at > max(to_at) OVER (PARTITION BY source, host ORDER BY from_at, to_at
                                      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS is_after_pause
    FROM silver.log_seen WHERE source IN ('enstore_log', 'enstore_relay')
),
numbered AS (
    SELECT *, sum(CASE WHEN is_after_pause THEN 1 ELSE 0 END)
                  OVER (PARTITION BY source, system ORDER BY from_at, to_at ROWS UNBOUNDED PRECEDING) AS run
    FROM edge
),
covered AS (
    SELECT source, system, min(from_at) AS from_at, max(to_at) AS to_at FROM numbered GROUP BY source, system, run
),
silent AS (
    -- the times without a log: before, between and behind its runs, or all of it
    SELECT system, to_at AS from_at,
           coalesce(lead(from_at) OVER (PARTITION BY system ORDER BY from_at), TIMESTAMP '9999-01-01') AS to_at
    FROM covered WHERE source = 'enstore_log'
    UNION ALL
    SELECT t.system, TIMESTAMP '0001-01-01', coalesce(min(c.from_at), TIMESTAMP '9999-01-01')
    FROM (SELECT DISTINCT system FROM told) t
    LEFT JOIN covered c ON c.system = t.system AND c.source = 'enstore_log'
    GROUP BY t.system
),
stand_in AS (
    SELECT f.system, f.drive, f.state, greatest(f.from_at, s.from_at) AS from_at,
           least(coalesce(f.next_at, c.to_at), c.to_at, s.to_at) AS to_at,
           s.from_at > f.from_at OR least(c.to_at, s.to_at) < coalesce(f.next_at, TIMESTAMP '9999-01-01') AS is_inferred,
           f.file_id, f.line_no
    FROM following f
    JOIN covered c ON c.source = 'enstore_relay' AND c.system = f.system AND f.from_at BETWEEN c.from_at AND c.to_at
    JOIN silent s ON s.system = f.system AND s.from_at < coalesce(f.next_at, c.to_at) AND s.to_at > f.from_at
    WHERE f.state NOT IN ('idle', 'unknown')
),
known AS (
    SELECT * FROM stand_in WHERE to_at > from_at
),
cut AS (
    SELECT p.*, p.from_at AS begin_at, CAST(NULL AS TIMESTAMP) AS stop_at FROM piece p WHERE p.state = 'unknown'
    UNION ALL
    SELECT p.*, least(k.to_at, p.to_at), k.from_at
    FROM piece p JOIN known k
        ON k.system = p.system AND k.drive = p.drive AND k.from_at < p.to_at AND k.to_at > p.from_at
    WHERE p.state = 'unknown'
),
every_piece AS (
    SELECT system, drive, state, from_at, to_at, is_inferred, 'log' AS witness, session_id, try_id, file_id, line_no
    FROM piece WHERE state <> 'unknown'
    UNION ALL
    SELECT system, drive, state, begin_at,
           coalesce(lead(stop_at) OVER (PARTITION BY system, drive, from_at, to_at ORDER BY begin_at), to_at),
           is_inferred, 'log', session_id, try_id, file_id, line_no
    FROM cut
    UNION ALL
    SELECT system, drive, state, from_at, to_at, is_inferred, 'relay', NULL, NULL, file_id, line_no FROM known
)
SELECT CAST(from_at AS DATE) AS day, system, drive, state, from_at, to_at, is_inferred, witness, session_id, try_id,
       file_id, line_no
FROM every_piece
WHERE to_at > from_at AND state <> 'idle'
