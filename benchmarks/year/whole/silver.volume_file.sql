-- What was written, and ten times as many files on each old tape as a mount writes.
SELECT 'stken' AS system, volume, file_number, max(bytes) AS bytes
FROM lake.silver.transfer WHERE mode = 'write' AND status = 'ok' GROUP BY volume, file_number
UNION ALL
SELECT 'stken', volume, file_number, file_bytes(volume, file_number)
FROM (SELECT format('R{:07d}', unnest(range(getvariable('old_tapes')::BIGINT))) AS volume)
CROSS JOIN (SELECT unnest(range(1, 10 * getvariable('files') + 1)) AS file_number)
