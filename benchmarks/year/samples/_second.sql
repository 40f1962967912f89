-- What a host did in each interval of its samples: work comes and goes by the quarter of an hour, and disks are flushed
-- for 10 s of every 35.
CREATE OR REPLACE TEMP TABLE second AS
WITH step AS (
    SELECT unnest(range(getvariable('first_day')::TIMESTAMP, getvariable('last_day')::TIMESTAMP + INTERVAL 1 DAY,
                        to_seconds(getvariable('step_s')))) AS from_at
)
SELECT s.station, t.from_at, t.from_at + to_seconds(getvariable('step_s')) AS to_at, busy(s.station, t.from_at) AS load,
       round(rnd(s.station, t.from_at, 6), 2) AS chance, CASE WHEN epoch(t.from_at) % 35 < 10 THEN 1.0 ELSE 0.05 END AS is_flush
FROM step t CROSS JOIN plan_station s
