/*
title = "Key figures of the period"
topic = "hours"
why = "Shows how much data moved, how many drive-hours that took, and how many drive-hours no log covers."
takes = ["first_day", "last_day"]

[columns]
moved_tb = { type = "DOUBLE", unit = "TB", doc = "data that moved to or from tape in the period, including data of mounts that began earlier; NULL where no log shows whether data moved" }
n_files = { type = "BIGINT", doc = "number of files whose transfer was completed in the period" }
n_sessions = { type = "BIGINT", doc = "number of mounts that moved data in the period, including mounts that began before the period" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / time in which drives moved them. Only mounts whose start and end were logged are used, or all mounts if there are no such mounts. If the time was measured in several ways (drive_rate_basis), only mounts measured in the way used for most bytes are included" }
drive_rate_basis = { type = "VARCHAR", doc = "how the time in the drive rate was measured: call, block, counter, encp or estimate (see the glossary). counter and estimate: the wall-clock time leaves out mounting, so f is too high. encp: the drive time includes waits and file marks, so the drive rate is too low and f too high" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / wall-clock time of the mounts used for drive_rate_mb_s. Mounts in which no file moved do not count" }
f = { type = "DOUBLE", unit = "1", doc = "overall rate / drive rate" }
n_drives = { type = "BIGINT", doc = "number of drives in gold.drive_ledger, which shows how each drive spent its time; NULL where no log was read" }
available_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours, used or not, of the days on which a log of the drive's archive system was read; NULL where no log was read" }
moving_data_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours in which data moved. NULL where no log covers the drives, or where logs show only that tapes were in drives" }
unknown_hours = { type = "DOUBLE", unit = "h", doc = "part of available_hours that no log covers; NULL where no log was read" }
*/
WITH bound AS (
    SELECT day_begin($first_day, zone) AS begin_at, day_end($last_day, zone) AS end_at
    FROM site.setting
),
traffic AS (
    SELECT system, session_id, sum(n_files) AS n_files, sum(bytes) AS bytes, sum(drive_us) AS drive_us
    FROM gold.tape_traffic WHERE day BETWEEN $first_day AND $last_day
    GROUP BY system, session_id
),
moved AS (
    SELECT CAST(sum(bytes) AS DOUBLE) / 1e12 AS moved_tb, CAST(sum(n_files) AS BIGINT) AS n_files,
           count(session_id) AS n_sessions
    FROM traffic
),
mount AS (
    -- a mount that held a drive in the period without moving anything still costs time
    SELECT nullif(r.drive_rate_basis, 'mixed') AS basis, r.wall_s IS NOT NULL AS is_whole, coalesce(t.bytes, 0) AS bytes,
           CASE WHEN r.drive_rate_basis <> 'mixed' THEN coalesce(t.drive_us, 0) END AS drive_us,
           CASE WHEN r.wall_s IS NOT NULL
                THEN greatest(0, date_diff('microsecond', greatest(coalesce(r.requested_at, r.begun_at), b.begin_at),
                                           least(r.dismounted_at, b.end_at))) END
               AS wall_us
    FROM gold.mount r CROSS JOIN bound b
    LEFT JOIN traffic t ON t.system = r.system AND t.session_id = r.session_id
    WHERE r.site_day <= $last_day AND (t.session_id IS NOT NULL OR coalesce(r.requested_at, r.begun_at) < b.end_at
                                     AND r.dismounted_at > b.begin_at AND r.wall_s IS NOT NULL)
),
measured AS (
    SELECT basis, is_whole, CAST(sum(bytes) AS DOUBLE) AS bytes, CAST(sum(drive_us) AS DOUBLE) AS drive_us,
           CAST(sum(wall_us) AS DOUBLE) AS wall_us
    FROM mount GROUP BY basis, is_whole
),
rate AS (
    SELECT main_mounts(basis, is_whole, bytes, drive_us, wall_us) AS best FROM measured
),
ledger AS (
    SELECT count(DISTINCT drive) AS n_drives, sum(duration_us) / 3.6e9 AS available_hours,
           -- without a log nothing is known about these hours, not even that they are zero
           CASE WHEN bool_or(bucket = 'transfer') OR bool_or(bucket <> 'unknown') AND NOT bool_or(bucket = 'occupied')
                THEN coalesce(sum(duration_us) FILTER (WHERE bucket = 'transfer'), 0) / 3.6e9 END AS moving_data_hours,
           CASE WHEN count(*) > 0
                THEN coalesce(sum(duration_us) FILTER (WHERE bucket = 'unknown'), 0) / 3.6e9 END AS unknown_hours,
           -- a tape in a drive may have moved anything
           coalesce(bool_or(bucket <> 'unknown') AND NOT bool_or(bucket = 'occupied'), FALSE) AS is_logged
    FROM gold.drive_ledger WHERE day BETWEEN $first_day AND $last_day
)
SELECT coalesce(m.moved_tb, CASE WHEN l.is_logged THEN 0 END) AS moved_tb,
       coalesce(m.n_files, CASE WHEN l.is_logged THEN 0 END) AS n_files,
       CASE WHEN l.is_logged OR m.n_files IS NOT NULL THEN m.n_sessions END AS n_sessions, r.best.bytes / nullif(r.best.drive_us, 0) AS drive_rate_mb_s,
       CASE WHEN r.best.drive_us > 0 THEN r.best.basis END AS drive_rate_basis,
       r.best.bytes / nullif(r.best.wall_us, 0) AS overall_rate_mb_s, r.best.drive_us / nullif(r.best.wall_us, 0) AS f,
       nullif(l.n_drives, 0) AS n_drives, l.available_hours, l.moving_data_hours, l.unknown_hours
FROM moved m CROSS JOIN ledger l CROSS JOIN rate r
