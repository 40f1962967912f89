SELECT day, transfer_id, 'stken' AS system, station, drive, mover_host, volume, session_id, mode, file_number, bytes,
       bytes - 512 AS file_bytes, unique_id, client, begun_at - INTERVAL 20 SECOND AS queued_at,
       started_at - to_seconds(position_s + start_s) AS requested_at, started_at, ended_at,
       ended_at + INTERVAL 3 SECOND AS completed_at, drive_s, 'call' AS drive_rate_basis, 0.03 AS checksum_s,
       CASE WHEN is_write THEN wait_s END AS wait_data_s, CASE WHEN NOT is_write THEN wait_s END AS wait_buffer_s,
       storage_group, file_family, outcome AS status, CASE WHEN outcome = 'failed' THEN 'READ_ERROR' END AS error,
       'mover encp' AS witnesses, file_id, line_no, file_id AS end_file_id, line_no + 1 AS end_line_no
FROM file
