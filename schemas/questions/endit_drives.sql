/*
title = "Drives that read and wrote for ENDIT"
topic = "requests"
why = "ENDIT moves files between dCache and TSM with runs of TSM's client. This shows which drives each pool's runs used, and how long runs waited for their tapes. It also shows the rate while the tapes were in the drives."
takes = ["first_day", "last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system of the drive" }
drive = { type = "VARCHAR", doc = "drive in which the run's tape was mounted; NULL for runs whose mount no log shows" }
pool = { type = "VARCHAR", doc = "name of the ENDIT instance, or its host if the instance has no name; each dCache pool has its own instance" }
operation = { type = "VARCHAR", doc = "retrieve (from tape) or archive (to tape)" }
n_runs = { type = "BIGINT", doc = "number of runs of TSM's client that ENDIT started in the period; a run counts once for each mount that served it" }
n_volumes = { type = "BIGINT", doc = "number of different tapes that the runs read or wrote" }
n_files = { type = "BIGINT", doc = "number of files that the runs had to move, as far as logs show this number for the tape. If several mounts of a tape served a run, the run's files on that tape count only in the mount that served the run longest. NULL for runs whose mount no log shows" }
moved_gb = { type = "DOUBLE", unit = "GB", was = "read_gb", doc = "data moved by completed runs that used a single tape" }
median_wait_s = { type = "DOUBLE", unit = "s", doc = "median time from the start of a run until its tape was in the drive. For a tape that was already in the drive, this time is 0" }
shared_hours = { type = "DOUBLE", unit = "h", doc = "hours in which an ENDIT run was active and its tape was in the drive, summed over the runs" }
overall_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "moved_gb / shared_hours of the runs that moved it. These hours include tape motion and waits for the client, but not mounting" }
*/
WITH run AS (
    -- ENDIT starts several runs within a second: the line that starts a run identifies it
    SELECT r.pool, r.operation, r.volume, r.file_id, r.line_no FROM silver.endit_run r CROSS JOIN site.setting c
    WHERE r.operation IN ('retrieve', 'archive') AND in_days(r.began_at, $first_day, $last_day, c.zone)
),
served AS (
    -- two mounts of a volume may overlap one run: its bytes count once, at the one it shared most time with
    SELECT m.*, row_number() OVER one_run AS place, first_value(m.drive) OVER one_run AS main_drive
    FROM silver.endit_mount m SEMI JOIN run r USING (file_id, line_no)
    WINDOW one_run AS (PARTITION BY m.file_id, m.line_no, m.volume ORDER BY m.shared_s DESC, m.mounted_at, m.drive)
)
SELECT drive_system AS system, drive, pool, operation, count(*) AS n_runs, count(DISTINCT volume) AS n_volumes,
       CAST(sum(n_files) FILTER (place = 1) AS BIGINT) AS n_files,
       coalesce(sum(bytes) FILTER (place = 1 AND outcome = 'done'), 0) / 1e9 AS moved_gb, median(waited_s) AS median_wait_s,
       sum(shared_s) / 3600 AS shared_hours,
       sum(bytes) FILTER (place = 1 AND outcome = 'done')
           / nullif(sum(shared_s) FILTER (drive = main_drive AND bytes IS NOT NULL AND outcome = 'done'), 0) / 1e6 AS overall_mb_s
FROM served GROUP BY drive_system, drive, pool, operation
UNION ALL
SELECT NULL, NULL, pool, operation, count(*), count(DISTINCT volume) FILTER (volume <> 'default'), NULL, NULL, NULL, NULL, NULL
FROM run ANTI JOIN silver.endit_mount USING (file_id, line_no)
GROUP BY pool, operation
ORDER BY system NULLS LAST, drive, pool, operation
