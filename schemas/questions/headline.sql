/*
title = "The period in one line"
topic = "hours"
why = "How much moved, how much drive time that took, and how much time has no log."
takes = ["first_day", "last_day"]

[columns]
moved_tb = { type = "DOUBLE", unit = "TB", doc = "moved on tape in the period, whatever day the mounts began; NULL where no log shows it" }
n_files = { type = "BIGINT", doc = "complete files that ended in the period" }
n_sessions = { type = "BIGINT", doc = "mounts in which these bytes moved; one over midnight counts in both days" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / time drives worked, both within the period, in completely logged mounts on the basis of most bytes" }
drive_rate_basis = { type = "VARCHAR", doc = "that basis. call: inside drive calls. block: the block loop, with checksums and waits in the buffer. counter: in reads and writes by the kernel's count, with wall-clock time in use, without mounting. estimate: the length of sessions minus their waits, with wall-clock time of the tape in the drive, without mounting. encp: the client's rate, with waits for data and file marks, so that the drive rate is too low and f too high" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / wall-clock time of the same mounts, both within the period" }
f = { type = "DOUBLE", unit = "1", doc = "overall / drive rate" }
n_drives = { type = "BIGINT", doc = "drives with hours in the ledger; NULL without any log" }
available_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours in the period; NULL without any log" }
moving_data_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours in which data moved; NULL where no log covers any, or where tapes were in drives and no log shows when data moved" }
unknown_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours that no log covers, on days with a log; NULL without any" }
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
rate AS (
    -- the best known: both rates, else only the overall rate, else only the drive rate
    SELECT basis, is_whole, CAST(sum(bytes) AS DOUBLE) AS bytes, CAST(sum(drive_us) AS DOUBLE) AS drive_us,
           CAST(sum(wall_us) AS DOUBLE) AS wall_us
    FROM mount GROUP BY basis, is_whole
    ORDER BY basis IS NOT NULL AND is_whole DESC, is_whole DESC, sum(bytes) DESC, basis
    LIMIT 1
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
       CASE WHEN l.is_logged OR m.n_files IS NOT NULL THEN m.n_sessions END AS n_sessions, r.bytes / nullif(r.drive_us, 0) AS drive_rate_mb_s,
       CASE WHEN r.drive_us > 0 THEN r.basis END AS drive_rate_basis, r.bytes / nullif(r.wall_us, 0) AS overall_rate_mb_s,
       r.drive_us / nullif(r.wall_us, 0) AS f,
       nullif(l.n_drives, 0) AS n_drives, l.available_hours, l.moving_data_hours, l.unknown_hours
FROM moved m CROSS JOIN ledger l LEFT JOIN rate r ON TRUE
