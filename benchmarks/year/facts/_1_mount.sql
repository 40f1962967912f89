-- One row per mount of a slice of days: a drive's day is cut into equal slots, one mount in each, and in a few an outage.
-- Every second mount writes the tape that the drive fills; the others read from old tapes.
CREATE OR REPLACE TEMP TABLE mount AS
WITH slot AS (
    SELECT CAST(d.day AS DATE) AS day, k.*, m.number, 86400 // getvariable('mounts') AS slot_s,
           number % 2 = 0 AS is_write, rnd(k.drive, d.day, number) AS luck,
           (date_diff('day', getvariable('begin_day'), d.day) * getvariable('mounts') + number) // 2 AS turn
    FROM (SELECT unnest(range(getvariable('first_day')::TIMESTAMP, getvariable('last_day')::TIMESTAMP + INTERVAL 1 DAY,
                              INTERVAL 1 DAY)) AS day) d
    CROSS JOIN plan_drive k
    CROSS JOIN (SELECT unnest(range(getvariable('mounts'))) AS number) m
),
begun AS (
    SELECT *, day + to_seconds(number * slot_s + CAST(floor(10 * luck) AS BIGINT)) AS begun_at,
           day + to_seconds((number + 1) * slot_s - 100) AS until_at,
           CAST(50 + floor(40 * luck) AS BIGINT) AS mount_s,
           CASE WHEN is_write THEN getvariable('files')
                ELSE greatest(1, CAST(round(getvariable('files') * (0.5 + luck)) AS BIGINT)) END AS n_files,
           CASE WHEN is_write THEN format('W{:03d}{:04d}', place, turn // 10)
                ELSE format('R{:07d}', CAST(floor(getvariable('old_tapes') * rnd(drive, luck, 1)) AS BIGINT)) END AS volume,
           CASE WHEN is_write THEN turn % 10 ELSE 0 END AS fill
    FROM slot
)
SELECT *, CASE WHEN luck < 0.002 THEN 'mount_failed' WHEN luck > 0.998 THEN 'down' ELSE 'ok' END AS status,
       CASE WHEN is_write THEN 'write' ELSE 'read' END AS mode, begun_at + to_seconds(mount_s) AS mounted_at,
       'group' || hash(volume) % 6 AS storage_group, 'family' || hash(volume, 1) % 24 AS file_family,
       drive || ' ' || volume || ' ' || strftime(begun_at, '%Y-%m-%dT%H:%M:%SZ') AS session_id,
       'log' || strftime(day, '%Y%m%d') AS file_id, (place * getvariable('mounts') + number) * 2000 AS line_no
FROM begun
