SELECT CAST(s.from_at AS DATE) AS day, s.station AS host, 'iostat' AS tool, d.device, 'disk' AS kind, TRUE AS is_summed, s.from_at,
       s.to_at, 400 * s.load AS request_rate, 200 * s.load AS read_request_rate, 200 * s.load AS write_request_rate,
       floor(38000 * s.load * (0.8 + 0.2 * s.chance)) * 1024 AS read_bytes_s,
       floor(80000 * s.load * s.is_flush * (0.8 + 0.2 * s.chance)) * 1024 AS write_bytes_s,
       0.005 + round(0.01 * s.chance, 3) AS wait_s, 2 * s.load AS queue, least(1, round(s.load * (0.3 + s.is_flush), 2)) AS busy,
       'iostat' || s.station || strftime(s.from_at, '%Y%m%d') AS file_id, CAST(epoch(s.from_at) % 86400 AS BIGINT) AS line_no
FROM second s CROSS JOIN (VALUES ('sda'), ('sdb')) d (device)
