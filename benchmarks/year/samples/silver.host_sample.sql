SELECT CAST(s.from_at AS DATE) AS day, s.station AS host, 'vmstat' AS tool, s.from_at, s.to_at,
       0.02 + 0.05 * s.chance AS cpu_user, 0.1 * s.load AS cpu_system, 0.9 - 0.8 * s.load * s.chance AS cpu_idle,
       0.1 * s.load AS cpu_wait, CAST(1 + 4 * s.chance AS INTEGER) AS run_queue, CAST(3 * s.load * s.chance AS INTEGER) AS blocked,
       floor(75000 * s.load * (0.8 + 0.2 * s.chance)) * 1024 AS read_bytes_s,
       floor(160000 * s.load * s.is_flush * (0.8 + 0.2 * s.chance)) * 1024 AS write_bytes_s,
       'vmstat' || s.station || strftime(s.from_at, '%Y%m%d') AS file_id, CAST(epoch(s.from_at) % 86400 AS BIGINT) AS line_no
FROM second s
