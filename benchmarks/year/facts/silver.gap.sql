SELECT day, before_id AS gap_id, session_id, 'stken' AS system, station, drive, volume, mode, transfer_id AS next_transfer_id,
       started_at - to_seconds(gap_s) AS started_at, started_at AS ended_at, gap_s, filemark_s, 0 AS checksum_s, database_s,
       no_request_s, request_s, 0.75 * request_s AS client_s, position_s, start_s,
       -- a mount's requests are queued before it
       CASE WHEN is_write THEN TRUE END AS is_next_ready, database_s + request_s + start_s AS avoidable_s,
       before_rate AS rate_bytes_s, file_id AS previous_file_id, before_line + 1 AS previous_line_no,
       file_id AS next_file_id, line_no AS next_line_no
FROM file WHERE before_id IS NOT NULL
