-- One log speaks for all drives; it is missing on the days on which silver.log_coverage lacks it.
SELECT CAST(w.day AS DATE) AS day, d.system, d.drive, w.day AS from_at, w.day + INTERVAL 1 DAY AS to_at
FROM (SELECT unnest(range(getvariable('first_day')::TIMESTAMP, getvariable('last_day')::TIMESTAMP + INTERVAL 1 DAY,
                          INTERVAL 1 DAY)) AS day) w
CROSS JOIN lake.site.drive d
WHERE rnd('enstore_log', 'stken', w.day) > 0.003
