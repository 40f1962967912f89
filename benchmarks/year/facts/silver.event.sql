SELECT day, 'stken' AS system, drive, 'transfer_failed' AS kind, ended_at AS happened_at, started_at AS began_at,
       transfer_s AS lost_s, volume, 'READ_ERROR' AS error, 'DRIVE' AS error_source,
       'transfer failed READ_ERROR DRIVE volume=' || volume AS message, file_id, line_no
FROM file WHERE outcome = 'failed'
UNION ALL BY NAME
SELECT day, 'stken' AS system, drive, CASE status WHEN 'down' THEN 'drive_offline' ELSE 'mount_failed' END AS kind,
       mounted_at AS happened_at, begun_at AS began_at, mount_s AS lost_s, volume, 'MOUNTFAILED' AS error, 'ROBOT' AS error_source,
       status || ' ' || volume AS message, file_id, line_no
FROM mount WHERE status <> 'ok'
