-- The lines of a file, as many as the mover's log has of it; of a mount, those that begin and end it.
WITH spoken AS (
    SELECT day, drive, mover_host, session_id, transfer_id AS attempt_id, mode, volume, file_number, bytes, unique_id, file_id,
           line_no, 'tape ' || volume || ' ' || mode || ' ' || bytes || ' of ' || bytes || ', request ' || unique_id AS said,
           unnest([{'kind': 'request', 'at': started_at - to_seconds(position_s + start_s), 'n': -3},
                   {'kind': 'ticket', 'at': started_at - to_seconds(position_s + start_s), 'n': -2},
                   {'kind': 'position', 'at': started_at - to_seconds(position_s + start_s), 'n': -1},
                   {'kind': 'started', 'at': started_at, 'n': 0}, {'kind': 'data_ended', 'at': ended_at, 'n': 1},
                   {'kind': 'filemark', 'at': ended_at, 'n': 2}, {'kind': 'timing', 'at': ended_at, 'n': 3},
                   {'kind': 'drive_stats', 'at': ended_at, 'n': 4}, {'kind': 'completed', 'at': ended_at, 'n': 5},
                   {'kind': 'done_ticket', 'at': ended_at, 'n': 6}]) AS p
    FROM file
)
SELECT day, 'stken' AS system, drive, mover_host, p.at AS marked_at, line_no + p.n AS seq, p.kind AS kind, mode, volume,
       session_id, attempt_id, FALSE AS is_after_hole, file_number, bytes,
       CASE WHEN p.kind = 'drive_stats' THEN (hash(attempt_id) % 1000 = 0)::BIGINT END AS read_errors,
       CASE WHEN p.kind = 'drive_stats' THEN (hash(attempt_id) % 1001 = 0)::BIGINT END AS write_errors, unique_id,
       p.kind || ' ' || said AS message, file_id, line_no + p.n AS line_no
FROM spoken
UNION ALL BY NAME
SELECT day, 'stken' AS system, drive, mover_host, begun_at AS marked_at, line_no - 9 AS seq,
       CASE status WHEN 'ok' THEN 'load_requested' WHEN 'down' THEN 'offline' ELSE 'load_failed' END AS kind,
       volume, CASE WHEN status <> 'down' THEN session_id END AS session_id, FALSE AS is_after_hole,
       status || ' ' || volume AS message, file_id, line_no - 9 AS line_no
FROM mount
