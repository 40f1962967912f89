WITH part AS (
    SELECT day, drive, session_id, transfer_id AS attempt_id, file_id, line_no, started_at - to_seconds(gap_s) AS gap_at,
           unnest([{'state': 'filemark', 'begin_s': 0, 's': filemark_s},
                   {'state': 'database', 'begin_s': filemark_s, 's': database_s},
                   {'state': 'no_request', 'begin_s': filemark_s + database_s, 's': no_request_s},
                   {'state': 'request', 'begin_s': filemark_s + database_s + no_request_s, 's': request_s},
                   {'state': 'position', 'begin_s': gap_s - start_s - position_s, 's': position_s},
                   {'state': 'start', 'begin_s': gap_s - start_s, 's': start_s},
                   {'state': 'transfer', 'begin_s': gap_s, 's': transfer_s}]) AS p
    FROM file
),
mounted AS (
    SELECT session_id, any_value(day) AS day, any_value(drive) AS drive, max(ended_at) AS last_at,
           max(line_no) AS line_no, any_value(file_id) AS file_id
    FROM file GROUP BY session_id
)
SELECT day, 'stken' AS system, drive, p.state AS state, gap_at + to_seconds(p.begin_s) AS from_at,
       gap_at + to_seconds(p.begin_s + p.s) AS to_at, FALSE AS is_inferred, 'log' AS witness, session_id, attempt_id, file_id,
       line_no
FROM part WHERE p.s > 0
UNION ALL
SELECT day, 'stken', drive, 'mount', begun_at, mounted_at, FALSE, 'log', session_id, NULL, file_id, line_no
FROM mount WHERE status <> 'down'
UNION ALL
SELECT day, 'stken', drive, 'down', begun_at, until_at, FALSE, 'log', NULL, NULL, file_id, line_no
FROM mount WHERE status = 'down'
UNION ALL
SELECT day, 'stken', drive, 'dismount', last_at + INTERVAL 5 SECOND, last_at + INTERVAL 50 SECOND, FALSE, 'log', session_id,
       NULL, file_id, line_no + 10
FROM mounted
