SELECT CAST(s.from_at AS DATE) AS day, s.station AS host, 'nicstat' AS tool, 'eth0' AS interface, 'port' AS kind, TRUE AS is_summed,
       s.from_at, s.to_at, floor(100000 * s.load * s.chance) * 1024 AS in_bytes_s,
       floor(100000 * s.load * (1 - s.chance)) * 1024 AS out_bytes_s, 70000 * s.load AS in_packet_rate,
       70000 * s.load AS out_packet_rate, s.load AS busy, 'nicstat' || s.station || strftime(s.from_at, '%Y%m%d') AS file_id,
       CAST(epoch(s.from_at) % 86400 AS BIGINT) AS line_no
FROM second s
