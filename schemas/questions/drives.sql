/*
title = "Drives"
why = "Rates of each drive beside the hours it gave to data, to standing still, and to nothing."
takes = ["first_day", "last_day"]

[columns]
drive = { type = "VARCHAR", doc = "drive" }
generation = { type = "VARCHAR", doc = "technology" }
n_sessions = { type = "BIGINT", doc = "mounts in which files moved" }
n_files = { type = "BIGINT", doc = "files moved" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "moved on tape" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / time the drive worked, sessions with one basis" }
drive_rate_basis = { type = "VARCHAR", doc = "basis of that rate; mixed where sessions differ: then there is none" }
nameplate_share = { type = "DOUBLE", unit = "1", doc = "that rate / the rate the drive is sold with; above 1 where it compresses" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / wall-clock of sessions logged from mount to dismount" }
f = { type = "DOUBLE", unit = "1", doc = "drive time / wall-clock of those sessions" }
transfer_hours = { type = "DOUBLE", unit = "h", doc = "data moved" }
between_hours = { type = "DOUBLE", unit = "h", doc = "between files: file marks, databases, requests, motion, start" }
wait_hours = { type = "DOUBLE", unit = "h", doc = "inside transfers, waiting for data or room, and checksums" }
mount_hours = { type = "DOUBLE", unit = "h", doc = "mounting and dismounting" }
no_request_hours = { type = "DOUBLE", unit = "h", doc = "mounted, and nobody wanted it" }
idle_hours = { type = "DOUBLE", unit = "h", doc = "no volume" }
down_hours = { type = "DOUBLE", unit = "h", doc = "offline, in error or cleaning" }
unknown_hours = { type = "DOUBLE", unit = "h", doc = "not logged" }
*/
WITH rate AS (
    SELECT drive, count(*) AS n_sessions, sum(n_files) AS n_files, sum(volume_gb) AS moved_gb,
           CASE WHEN count(DISTINCT drive_rate_basis) > 1 THEN 'mixed' ELSE min(drive_rate_basis) END AS basis,
           sum(drive_s) AS drive_s,
           sum(volume_gb) FILTER (WHERE wall_s IS NOT NULL) AS walled_gb, sum(wall_s) AS wall_s,
           sum(drive_s) FILTER (WHERE wall_s IS NOT NULL) AS walled_drive_s
    FROM gold.session_rate WHERE day BETWEEN $first_day AND $last_day GROUP BY drive
),
ledger AS (
    SELECT drive,
           sum(duration_us) FILTER (WHERE bucket = 'transfer') / 3.6e9 AS transfer_hours,
           sum(duration_us) FILTER (WHERE bucket IN ('filemark', 'database', 'request', 'position', 'start')) / 3.6e9
               AS between_hours,
           sum(duration_us) FILTER (WHERE bucket IN ('wait_data', 'wait_room', 'checksum')) / 3.6e9 AS wait_hours,
           sum(duration_us) FILTER (WHERE bucket IN ('mount', 'dismount')) / 3.6e9 AS mount_hours,
           sum(duration_us) FILTER (WHERE bucket = 'no_request') / 3.6e9 AS no_request_hours,
           sum(duration_us) FILTER (WHERE bucket = 'idle') / 3.6e9 AS idle_hours,
           sum(duration_us) FILTER (WHERE bucket = 'down') / 3.6e9 AS down_hours,
           sum(duration_us) FILTER (WHERE bucket = 'unknown') / 3.6e9 AS unknown_hours
    FROM gold.drive_ledger WHERE day BETWEEN $first_day AND $last_day GROUP BY drive
)
SELECT l.drive, d.generation, coalesce(r.n_sessions, 0) AS n_sessions, CAST(coalesce(r.n_files, 0) AS BIGINT) AS n_files,
       coalesce(r.moved_gb, 0) AS moved_gb,
       CASE WHEN r.basis <> 'mixed' THEN r.moved_gb * 1e3 / nullif(r.drive_s, 0) END AS drive_rate_mb_s,
       r.basis AS drive_rate_basis,
       CASE WHEN r.basis <> 'mixed' THEN r.moved_gb * 1e3 / nullif(r.drive_s, 0) / d.nameplate_mb_s END
           AS nameplate_share,
       r.walled_gb * 1e3 / nullif(r.wall_s, 0) AS overall_rate_mb_s,
       CASE WHEN r.basis <> 'mixed' THEN r.walled_drive_s / nullif(r.wall_s, 0) END AS f,
       coalesce(l.transfer_hours, 0) AS transfer_hours, coalesce(l.between_hours, 0) AS between_hours,
       coalesce(l.wait_hours, 0) AS wait_hours, coalesce(l.mount_hours, 0) AS mount_hours,
       coalesce(l.no_request_hours, 0) AS no_request_hours, coalesce(l.idle_hours, 0) AS idle_hours,
       coalesce(l.down_hours, 0) AS down_hours, coalesce(l.unknown_hours, 0) AS unknown_hours
FROM ledger l
LEFT JOIN rate r ON r.drive = l.drive
LEFT JOIN site.drive d ON d.drive = l.drive
ORDER BY l.drive
