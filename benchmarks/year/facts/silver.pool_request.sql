-- A pool asked for each of the files: to store it, or to fetch it.
SELECT day, 'dcache' AS system, 'pool' || hash(volume, file_number) % 40 AS pool,
       CASE WHEN is_write THEN 'store' ELSE 'restore' END AS operation,
       printf('0000%032X', hash(volume, file_number)) AS pnfsid, storage_group, file_family, 'enstore' AS hsm, bytes,
       begun_at - INTERVAL 30 SECOND AS created_at, started_at, ended_at + INTERVAL 3 SECOND AS ended_at,
       CASE WHEN is_write THEN epoch(started_at) - epoch(begun_at) + 30 END AS queue_s, transfer_s + 3 AS transfer_s,
       epoch(ended_at) - epoch(begun_at) + 33 AS latency_s, CASE outcome WHEN 'ok' THEN 'done' ELSE 'failed' END AS outcome,
       0 AS error_code, 'text' AS witnesses, 1 AS n_records, 'billing' || strftime(day, '%Y%m%d') AS file_id, line_no
FROM file
