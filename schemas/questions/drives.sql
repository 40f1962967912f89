/*
title = "Drives"
topic = "drives"
why = "Shows the rates of each drive, and the hours in which it moved data, waited or was idle."
if_empty = "The ledger of drive time has no hours in the period. It needs a log of the movers or tape daemons, counters of drives, or a list of mounts of TSM or a library. `tapescope ask listed_drives` also shows mounts from Enstore's accounting."
takes = ["first_day", "last_day"]

[columns]
drive = { type = "VARCHAR", doc = "drive" }
generation = { type = "VARCHAR", doc = "technology of the drive, e.g. LTO-4" }
n_sessions = { type = "BIGINT", doc = "number of mounts that moved data in the period, including mounts that began before the period. NULL where no log shows what the drive did; the same applies to the next two columns" }
n_files = { type = "BIGINT", doc = "number of files whose transfer was completed in the period" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data that moved to or from tape in the period, even if the mount began before the period" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / time in which the drive moved them. For each drive, the mounts are selected as in the question headline. With the basis encp, the time includes waits and file marks" }
drive_rate_basis = { type = "VARCHAR", doc = "how the time in the drive rate was measured: call, block, counter, encp or estimate (see the glossary). The drive rate includes only mounts whose time was measured in this way" }
nameplate_share = { type = "DOUBLE", unit = "1", doc = "drive rate / native rate; above 1 where the drive compresses data" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / wall-clock time from mount request to end of dismount, of the mounts used for drive_rate_mb_s. Mounts in which no file moved do not count" }
f = { type = "DOUBLE", unit = "1", doc = "overall rate / drive rate" }
moving_data_hours = { type = "DOUBLE", unit = "h", doc = "hours in which data moved. From this column on, each column is one group of gold.drive_time_bucket. Where no log shows what the drive did, all of them except occupied_hours, idle_hours and unknown_hours are NULL" }
waiting_hours = { type = "DOUBLE", unit = "h", doc = "hours in which the drive waited for data to write, or for buffer space while reading. This includes drain: the tape has left the drive, but data read from it is not yet on disk" }
checksums_hours = { type = "DOUBLE", unit = "h", doc = "hours of computing checksums, inside transfers and between them" }
between_files_hours = { type = "DOUBLE", unit = "h", doc = "hours of work between files: writing file marks, updating databases, getting the next request and starting its transfer. The same work before the first and after the last file of a mount counts too" }
tape_motion_hours = { type = "DOUBLE", unit = "h", doc = "hours of winding the tape to a file" }
mounting_hours = { type = "DOUBLE", unit = "h", doc = "hours of mounting and dismounting" }
no_request_hours = { type = "DOUBLE", unit = "h", doc = "hours with a tape in the drive and no request for the drive" }
occupied_hours = { type = "DOUBLE", unit = "h", doc = "hours with a tape in the drive for which no log shows what the drive did" }
idle_hours = { type = "DOUBLE", unit = "h", doc = "hours without a tape in the drive, except when the drive was down" }
down_hours = { type = "DOUBLE", unit = "h", doc = "hours in which the drive was offline, in error, cleaning or hung" }
unknown_hours = { type = "DOUBLE", unit = "h", doc = "hours that no log covers" }
*/
WITH bound AS (
    SELECT day_begin($first_day, zone) AS begin_at, day_end($last_day, zone) AS end_at
    FROM site.setting
),
traffic AS (
    SELECT system, drive, session_id, sum(n_files) AS n_files, sum(bytes) AS bytes, sum(drive_us) AS drive_us
    FROM gold.tape_traffic WHERE day BETWEEN $first_day AND $last_day
    GROUP BY system, drive, session_id
),
moved AS (
    SELECT drive, count(session_id) AS n_sessions, CAST(sum(n_files) AS BIGINT) AS n_files,
           CAST(sum(bytes) AS DOUBLE) / 1e9 AS moved_gb
    FROM traffic GROUP BY drive
),
mount AS (
    SELECT r.drive, nullif(r.drive_rate_basis, 'mixed') AS basis, r.wall_s IS NOT NULL AS is_whole, coalesce(t.bytes, 0) AS bytes,
           CASE WHEN r.drive_rate_basis <> 'mixed' THEN coalesce(t.drive_us, 0) END AS drive_us,
           CASE WHEN r.wall_s IS NOT NULL
                THEN greatest(0, date_diff('microsecond', greatest(coalesce(r.requested_at, r.begun_at), b.begin_at),
                                           least(r.dismounted_at, b.end_at))) END AS wall_us
    FROM gold.mount r CROSS JOIN bound b
    LEFT JOIN traffic t ON t.system = r.system AND t.session_id = r.session_id
    WHERE r.site_day <= $last_day AND (t.session_id IS NOT NULL OR coalesce(r.requested_at, r.begun_at) < b.end_at
                                     AND r.dismounted_at > b.begin_at AND r.wall_s IS NOT NULL)
),
measured AS (
    SELECT drive, basis, is_whole, CAST(sum(bytes) AS DOUBLE) AS bytes, CAST(sum(drive_us) AS DOUBLE) AS drive_us,
           CAST(sum(wall_us) AS DOUBLE) AS wall_us
    FROM mount GROUP BY drive, basis, is_whole
),
rate AS (
    SELECT drive, main_mounts(basis, is_whole, bytes, drive_us, wall_us) AS best FROM measured GROUP BY drive
),
ledger AS (
    -- a tape that only sits in a drive, or no log at all, shows nothing of what the drive did
    SELECT l.drive, bool_or(b.time_group NOT IN ('occupied', 'idle', 'unknown'))
                    OR bool_or(b.time_group = 'idle') AND NOT bool_or(b.time_group = 'occupied') AS is_logged,
           bool_or(b.time_group <> 'unknown') AS is_covered,
           sum(l.duration_us) FILTER (WHERE b.time_group = 'moving_data') / 3.6e9 AS moving_data_hours,
           sum(l.duration_us) FILTER (WHERE b.time_group = 'waiting') / 3.6e9 AS waiting_hours,
           sum(l.duration_us) FILTER (WHERE b.time_group = 'checksums') / 3.6e9 AS checksums_hours,
           sum(l.duration_us) FILTER (WHERE b.time_group = 'between_files') / 3.6e9 AS between_files_hours,
           sum(l.duration_us) FILTER (WHERE b.time_group = 'tape_motion') / 3.6e9 AS tape_motion_hours,
           sum(l.duration_us) FILTER (WHERE b.time_group = 'mounting') / 3.6e9 AS mounting_hours,
           sum(l.duration_us) FILTER (WHERE b.time_group = 'no_request') / 3.6e9 AS no_request_hours,
           sum(l.duration_us) FILTER (WHERE b.time_group = 'occupied') / 3.6e9 AS occupied_hours,
           sum(l.duration_us) FILTER (WHERE b.time_group = 'idle') / 3.6e9 AS idle_hours,
           sum(l.duration_us) FILTER (WHERE b.time_group = 'down') / 3.6e9 AS down_hours,
           sum(l.duration_us) FILTER (WHERE b.time_group = 'unknown') / 3.6e9 AS unknown_hours
    FROM gold.drive_ledger l JOIN gold.drive_time_bucket b ON b.bucket = l.bucket
    WHERE l.day BETWEEN $first_day AND $last_day GROUP BY l.drive
)
SELECT l.drive, d.generation, coalesce(m.n_sessions, CASE WHEN l.is_logged THEN 0 END) AS n_sessions,
       coalesce(m.n_files, CASE WHEN l.is_logged THEN 0 END) AS n_files,
       coalesce(m.moved_gb, CASE WHEN l.is_logged THEN 0 END) AS moved_gb,
       r.best.bytes / nullif(r.best.drive_us, 0) AS drive_rate_mb_s,
       CASE WHEN r.best.drive_us > 0 THEN r.best.basis END AS drive_rate_basis,
       r.best.bytes / nullif(r.best.drive_us, 0) / d.nameplate_mb_s AS nameplate_share,
       r.best.bytes / nullif(r.best.wall_us, 0) AS overall_rate_mb_s, r.best.drive_us / nullif(r.best.wall_us, 0) AS f,
       coalesce(l.moving_data_hours, CASE WHEN l.is_logged THEN 0 END) AS moving_data_hours,
       coalesce(l.waiting_hours, CASE WHEN l.is_logged THEN 0 END) AS waiting_hours,
       coalesce(l.checksums_hours, CASE WHEN l.is_logged THEN 0 END) AS checksums_hours,
       coalesce(l.between_files_hours, CASE WHEN l.is_logged THEN 0 END) AS between_files_hours,
       coalesce(l.tape_motion_hours, CASE WHEN l.is_logged THEN 0 END) AS tape_motion_hours,
       coalesce(l.mounting_hours, CASE WHEN l.is_logged THEN 0 END) AS mounting_hours,
       coalesce(l.no_request_hours, CASE WHEN l.is_logged THEN 0 END) AS no_request_hours,
       coalesce(l.occupied_hours, CASE WHEN l.is_covered THEN 0 END) AS occupied_hours,
       coalesce(l.idle_hours, CASE WHEN l.is_covered THEN 0 END) AS idle_hours,
       coalesce(l.down_hours, CASE WHEN l.is_logged THEN 0 END) AS down_hours,
       coalesce(l.unknown_hours, 0) AS unknown_hours
FROM ledger l
LEFT JOIN moved m ON m.drive = l.drive
LEFT JOIN rate r ON r.drive = l.drive
LEFT JOIN site.drive d ON d.drive = l.drive
ORDER BY l.drive
