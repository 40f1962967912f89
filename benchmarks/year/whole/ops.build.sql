SELECT number || '-0123456789ab' AS build_id, number, '0123456789ab' AS fingerprint, number = 1 AS is_full, TRUE AS is_committed,
       '["' || CAST(getvariable('begin_day') + CAST(number - 1 AS INTEGER) AS VARCHAR) || '"]' AS days,
       getvariable('day_files') * 20 AS n_rows
FROM (SELECT unnest(range(1, date_diff('day', getvariable('begin_day'), getvariable('end_day')) + 2)) AS number)
