-- Here and there a log is missing for a day.
SELECT CAST(d.day AS DATE) AS day, s.source, s.host, d.day AS from_at, d.day + INTERVAL 1 DAY AS to_at, k.speaks_for
FROM (SELECT unnest(range(getvariable('first_day')::TIMESTAMP, getvariable('last_day')::TIMESTAMP + INTERVAL 1 DAY,
                          INTERVAL 1 DAY)) AS day) d
CROSS JOIN lake.site.expected s LEFT JOIN lake.site.source k USING (source)
WHERE rnd(s.source, s.host, d.day) > 0.003
