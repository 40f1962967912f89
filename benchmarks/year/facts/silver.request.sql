SELECT day, unique_id AS request_id, 'stken' AS system, station, mode, storage_group, file_family,
       begun_at - INTERVAL 20 SECOND AS queued_at, started_at - to_seconds(position_s + start_s) AS assigned_at,
       ended_at AS done_at, 1 AS n_tries, file_id, line_no
FROM file
