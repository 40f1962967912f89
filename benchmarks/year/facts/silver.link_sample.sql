WITH step AS (
    SELECT unnest(range(getvariable('first_day')::TIMESTAMP, getvariable('last_day')::TIMESTAMP + INTERVAL 1 DAY,
                        INTERVAL 300 SECOND)) AS from_at
),
sampled AS (
    SELECT s.station, d.direction, t.from_at, 110e6 * busy(s.station, t.from_at) * rnd(s.station, t.from_at, d.direction) AS rate
    FROM step t CROSS JOIN plan_station s CROSS JOIN (VALUES ('in'), ('out')) d (direction)
)
SELECT CAST(from_at AS DATE) AS day, station || '-bond0' AS link, station, direction, from_at,
       from_at + INTERVAL 300 SECOND AS to_at, rate AS avg_bytes_s, rate * 1.3 AS max_bytes_s, 'mrtg' || station AS file_id,
       CAST(epoch(from_at) // 300 AS BIGINT) AS line_no
FROM sampled
