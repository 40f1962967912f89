SELECT m.day, m.session_id, 'stken' AS system, m.drive, m.mover_host,
       m.volume, CASE WHEN m.status = 'ok' THEN m.mode END AS mode, m.begun_at AS from_at, m.begun_at AS requested_at,
       CASE WHEN m.status = 'ok' THEN m.mounted_at END AS mounted_at,
       f.last_at + INTERVAL 5 SECOND AS dismount_at, f.last_at + INTERVAL 50 SECOND AS dismounted_at,
       coalesce(f.last_at + INTERVAL 50 SECOND, m.mounted_at) AS to_at,
       CASE WHEN m.status = 'ok' THEN m.mount_s END AS mount_s, CASE WHEN m.status = 'ok' THEN 45 END AS dismount_s,
       m.status, 'mover' AS witnesses, m.file_id, m.line_no
FROM mount m LEFT JOIN (SELECT session_id, max(ended_at) AS last_at FROM file GROUP BY session_id) f USING (session_id)
WHERE m.status <> 'down'
