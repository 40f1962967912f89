/*
title = "The period in one line"
why = "How much moved, how much of the drives' time that took, and how much of it was not logged."
takes = ["first_day", "last_day"]

[columns]
moved_tb = { type = "DOUBLE", unit = "TB", doc = "moved on tape" }
n_files = { type = "BIGINT", doc = "files moved" }
n_sessions = { type = "BIGINT", doc = "mounts in which files moved" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / time drives worked, sessions with the basis call" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / wall-clock of the same sessions" }
f = { type = "DOUBLE", unit = "1", doc = "overall / drive rate" }
n_drives = { type = "BIGINT", doc = "drives" }
available_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours in the period" }
transfer_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours in which data moved" }
unknown_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours that no log covers" }
*/
WITH rate AS (
    SELECT sum(volume_gb) / 1e3 AS moved_tb, sum(n_files) AS n_files, count(*) AS n_sessions,
           sum(volume_gb) FILTER (WHERE drive_rate_basis = 'call' AND wall_s IS NOT NULL) AS gb,
           sum(drive_s) FILTER (WHERE drive_rate_basis = 'call' AND wall_s IS NOT NULL) AS drive_s,
           sum(wall_s) FILTER (WHERE drive_rate_basis = 'call' AND wall_s IS NOT NULL) AS wall_s
    FROM gold.session_rate WHERE day BETWEEN $first_day AND $last_day
),
ledger AS (
    SELECT count(DISTINCT drive) AS n_drives, sum(duration_us) / 3.6e9 AS available_hours,
           coalesce(sum(duration_us) FILTER (WHERE bucket = 'transfer'), 0) / 3.6e9 AS transfer_hours,
           coalesce(sum(duration_us) FILTER (WHERE bucket = 'unknown'), 0) / 3.6e9 AS unknown_hours
    FROM gold.drive_ledger WHERE day BETWEEN $first_day AND $last_day
)
SELECT r.moved_tb, CAST(r.n_files AS BIGINT) AS n_files, r.n_sessions, r.gb * 1e3 / nullif(r.drive_s, 0) AS drive_rate_mb_s,
       r.gb * 1e3 / nullif(r.wall_s, 0) AS overall_rate_mb_s, r.drive_s / nullif(r.wall_s, 0) AS f,
       l.n_drives, l.available_hours, l.transfer_hours, l.unknown_hours
FROM rate r CROSS JOIN ledger l
