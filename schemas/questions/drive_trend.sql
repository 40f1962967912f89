/*
title = "Rates and failures of each drive by week, day or month"
topic = "drives"
why = "Shows whether a drive becomes slower, fails more often or is down longer. Each row shows the rate, the failures and the hours down of one drive in one week (or day or month)."
takes = ["last_day", "drive"]

[params.n_days]
type = "BIGINT"
default = 182
doc = "length of the period in days, counted back from last_day"

[params.step]
type = "VARCHAR"
default = "week"
choices = ["day", "week", "month"]
doc = "length of a time step: day, week or month; weeks start on Monday"

[columns]
drive = { type = "VARCHAR", doc = "drive" }
step_from = { type = "DATE", doc = "first site day of the time step; the first and the last step of the period may be incomplete" }
n_mounts = { type = "BIGINT", doc = "number of mounts requested for the drive, including failed ones" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data that the drive moved to or from tape in the step" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / time in which the drive moved them. Files for which that time is not known are left out. NULL where it is known for no file, or was measured in different ways" }
n_failed = { type = "BIGINT", doc = "number of transfers, mounts and dismounts that failed in the drive" }
n_errors = { type = "BIGINT", doc = "read and write errors counted by the drive, including corrected ones; NULL where no log shows the counter" }
down_hours = { type = "DOUBLE", unit = "h", doc = "hours of the step in which the drive was offline, in error, cleaning or hung" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours lost to failed transfers, failed mounts, hung mounts and mounts that moved no data. The hours of a failed transfer include a dismount and new mount of the tape within an hour after it" }
*/
WITH rate AS (
    SELECT drive, date_trunc($step, day) AS step_from, sum(bytes) / 1e9 AS moved_gb,
           CASE WHEN count(DISTINCT drive_rate_basis) = 1 THEN sum(timed_bytes) / nullif(sum(drive_us), 0) END AS rate_mb_s
    FROM gold.tape_traffic
    WHERE day > $last_day - CAST($n_days AS INTEGER) AND day <= $last_day AND drive IS NOT NULL AND $drive IN ('', drive)
    GROUP BY ALL
),
health AS (
    SELECT drive, date_trunc($step, day) AS step_from, sum(n_mounts) AS n_mounts,
           sum(n_failed_transfers + n_failed_mounts + n_failed_dismounts) AS n_failed,
           sum(coalesce(read_errors + write_errors, read_errors, write_errors)) AS n_errors,
           sum(down_hours) AS down_hours, sum(lost_hours) AS lost_hours
    FROM gold.drive_health
    WHERE day > $last_day - CAST($n_days AS INTEGER) AND day <= $last_day AND $drive IN ('', drive)
    GROUP BY ALL
)
SELECT drive, CAST(step_from AS DATE) AS step_from, CAST(coalesce(h.n_mounts, 0) AS BIGINT) AS n_mounts,
       coalesce(CAST(r.moved_gb AS DOUBLE), 0) AS moved_gb, CAST(r.rate_mb_s AS DOUBLE) AS drive_rate_mb_s,
       CAST(coalesce(h.n_failed, 0) AS BIGINT) AS n_failed, CAST(h.n_errors AS BIGINT) AS n_errors,
       coalesce(h.down_hours, 0) AS down_hours, coalesce(h.lost_hours, 0) AS lost_hours
FROM health h FULL JOIN rate r USING (drive, step_from)
ORDER BY drive, step_from
