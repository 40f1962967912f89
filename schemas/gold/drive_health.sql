/*
title = "Health of drives per day"
grain = "one row per drive and site day with work, events, error counts or outages of the drive"
why = "Lists failures, corrected errors, cleanings and outages of each drive, and how much data the drive moved. These numbers help to distinguish bad drives from bad tapes."
partition = "month"
lineage = ["file_id", "line_no"]
features = ["G4", "E34"]

[columns]
day = { type = "DATE", doc = "site day" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive" }
n_mounts = { type = "BIGINT", doc = "number of mounts in the drive that were requested that day (where no log shows the request: that began that day); failed mounts count too" }
n_transfers = { type = "BIGINT", doc = "number of files whose transfer was completed that day (n_files of gold.tape_traffic)" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "data moved to or from tape that day; only files that were moved completely count" }
read_errors = { type = "BIGINT", doc = "read errors that the drive counted, corrected or not. They come from the mover's log or, if it has no counts, from the drive's SCSI pages. Failed transfers do not count as errors. NULL where no log shows such counts" }
write_errors = { type = "BIGINT", doc = "write errors that the drive counted, corrected or not, from the same logs as read_errors. Failed transfers do not count as errors. NULL where no log shows such counts" }
uncorrected_errors = { type = "BIGINT", doc = "read and write errors that the drive could not correct, from its SCSI pages; NULL where no page with these counts was read" }
block_retries = { type = "BIGINT", doc = "number of blocks that the drive read or wrote again, from its SCSI pages; NULL where no page with this count was read" }
n_alerts = { type = "BIGINT", doc = "number of tape alerts (TapeAlert flags) that the drive raised, from its SCSI pages, CTA's log or the library's list of mounts. In the pages and the list, a flag that stays set counts once per tape and UTC day" }
n_retries = { type = "BIGINT", doc = "number of retries: attempts to move a file whose previous attempt, in this drive and on the same day, did not succeed. A transfer counts only if logs name its tape and the file's number on it" }
n_failed_transfers = { type = "BIGINT", doc = "number of transfers that failed" }
n_failed_mounts = { type = "BIGINT", doc = "number of mounts that failed" }
n_failed_dismounts = { type = "BIGINT", doc = "number of dismounts that failed" }
n_outages = { type = "BIGINT", doc = "number of times the drive was set offline or went into error" }
n_restarts = { type = "BIGINT", doc = "number of starts of the drive's mover" }
n_cleanings = { type = "BIGINT", doc = "number of cleanings" }
n_slow_warnings = { type = "BIGINT", doc = "number of times the drive's mover logged a warning that the drive is slow" }
n_volumes_refused = { type = "BIGINT", doc = "number of times Enstore barred a volume in the drive from use (no access)" }
n_volumes_failed = { type = "BIGINT", doc = "number of different volumes with a failed mount or transfer in the drive. Many volumes point to a bad drive, one volume points to a bad tape" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours lost to failed transfers, failed mounts, hung mounts and mounts that moved no data. The hours of a failed transfer include a dismount and new mount of the tape within an hour after it" }
down_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours in which the drive was offline, in error, cleaning or hung" }
file_id = { type = "VARCHAR", doc = "log file with the drive's first event of the day, such as a failure, cleaning or restart; NULL without events" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "system", "drive"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "lost_hours"
min_value = 0
severity = "critical"
*/
WITH tried AS (
    SELECT site_day(t.started_at, c.zone) AS day, t.system, t.drive, t.volume, t.mode,
           t.file_number, t.status, t.bytes, t.started_at, t.transfer_id
    FROM silver.transfer t CROSS JOIN site.setting c
    WHERE t.drive IS NOT NULL
),
followed AS (
    -- files of equal number on tapes whose labels are not known may be different files
    SELECT *, volume IS NOT NULL AND file_number IS NOT NULL AND coalesce(lag(status) OVER tries <> 'ok', FALSE) AS is_retry
    FROM tried
    WINDOW tries AS (PARTITION BY day, system, drive, volume, mode, file_number ORDER BY started_at, transfer_id)
),
moved AS (
    SELECT day, system, drive, CAST(sum(n_files) AS BIGINT) AS n_transfers, CAST(sum(bytes) AS DOUBLE) AS bytes
    FROM gold.tape_traffic WHERE drive IS NOT NULL GROUP BY day, system, drive
),
again AS (
    SELECT day, system, drive, count(*) FILTER (is_retry) AS n_retries FROM followed GROUP BY day, system, drive
),
mounted AS (
    SELECT site_day(coalesce(s.requested_at, s.from_at), c.zone) AS day, s.system,
           s.drive, count(*) AS n_mounts
    FROM silver.session s CROSS JOIN site.setting c
    WHERE s.witnesses IS DISTINCT FROM 'counter'  -- no mounts
    GROUP BY ALL
),
counted AS (
    SELECT site_day(m.marked_at, c.zone) AS day, m.system, m.drive,
           sum(m.read_errors) AS read_errors, sum(m.write_errors) AS write_errors
    FROM silver.mover_step m CROSS JOIN site.setting c
    WHERE m.kind = 'drive_stats'
    GROUP BY ALL
),
paged AS (
    SELECT day, system, drive, sum(read_errors) AS read_errors, sum(write_errors) AS write_errors,
           sum(uncorrected_errors) AS uncorrected_errors, sum(block_retries) AS block_retries
    FROM gold.mount_error GROUP BY day, system, drive
),
happened AS (
    SELECT site_day(e.happened_at, c.zone) AS day, e.system, e.drive,
           count(*) FILTER (e.kind = 'transfer_failed') AS n_failed_transfers,
           count(*) FILTER (e.kind = 'mount_failed') AS n_failed_mounts,
           count(*) FILTER (e.kind = 'dismount_failed') AS n_failed_dismounts,
           count(*) FILTER (e.kind IN ('drive_offline', 'drive_error')) AS n_outages,
           count(*) FILTER (e.kind = 'mover_restart') AS n_restarts,
           count(*) FILTER (e.kind = 'cleaning') AS n_cleanings,
           count(*) FILTER (e.kind = 'slow_drive') AS n_slow_warnings,
           count(*) FILTER (e.kind = 'volume_no_access') AS n_volumes_refused, count(*) FILTER (e.kind = 'tape_alert') AS n_alerts,
           count(DISTINCT e.volume) FILTER (e.kind IN ('transfer_failed', 'mount_failed')) AS n_volumes_failed,
           sum(CAST(1e6 * e.lost_s AS BIGINT)) AS lost_us,
           arg_min(e.file_id, (e.happened_at, e.file_id, e.line_no)) AS file_id,
           arg_min(e.line_no, (e.happened_at, e.file_id, e.line_no)) AS line_no
    FROM silver.event e CROSS JOIN site.setting c
    WHERE e.drive IS NOT NULL
    GROUP BY ALL
),
outage AS (
    SELECT l.day, d.system, l.drive, sum(l.duration_us) AS down_us
    FROM gold.drive_ledger l JOIN site.drive d ON d.drive = l.drive
    WHERE l.bucket IN ('down', 'hung') AND d.system IS NOT NULL
    GROUP BY l.day, d.system, l.drive
),
any_day AS (
    SELECT day, system, drive FROM moved UNION SELECT day, system, drive FROM again
    UNION SELECT day, system, drive FROM mounted
    UNION SELECT day, system, drive FROM happened UNION SELECT day, system, drive FROM outage UNION SELECT day, system, drive FROM paged
    UNION SELECT day, system, drive FROM counted
)
SELECT a.day, a.system, a.drive, coalesce(n.n_mounts, 0) AS n_mounts, coalesce(m.n_transfers, 0) AS n_transfers,
       coalesce(m.bytes, 0) / 1e9 AS volume_gb, CAST(coalesce(k.read_errors, p.read_errors) AS BIGINT) AS read_errors,
       CAST(coalesce(k.write_errors, p.write_errors) AS BIGINT) AS write_errors,
       CAST(p.uncorrected_errors AS BIGINT) AS uncorrected_errors, CAST(p.block_retries AS BIGINT) AS block_retries,
       coalesce(h.n_alerts, 0) AS n_alerts, coalesce(r.n_retries, 0) AS n_retries,
       coalesce(h.n_failed_transfers, 0) AS n_failed_transfers, coalesce(h.n_failed_mounts, 0) AS n_failed_mounts,
       coalesce(h.n_failed_dismounts, 0) AS n_failed_dismounts, coalesce(h.n_outages, 0) AS n_outages,
       coalesce(h.n_restarts, 0) AS n_restarts, coalesce(h.n_cleanings, 0) AS n_cleanings,
       coalesce(h.n_slow_warnings, 0) AS n_slow_warnings, coalesce(h.n_volumes_refused, 0) AS n_volumes_refused,
       coalesce(h.n_volumes_failed, 0) AS n_volumes_failed, coalesce(h.lost_us, 0) / 3.6e9 AS lost_hours,
       coalesce(o.down_us, 0) / 3.6e9 AS down_hours, h.file_id, h.line_no
FROM any_day a
LEFT JOIN moved m ON m.day = a.day AND m.system = a.system AND m.drive = a.drive
LEFT JOIN again r ON r.day = a.day AND r.system = a.system AND r.drive = a.drive
LEFT JOIN mounted n ON n.day = a.day AND n.system = a.system AND n.drive = a.drive
LEFT JOIN paged p ON p.day = a.day AND p.system = a.system AND p.drive = a.drive
LEFT JOIN counted k ON k.day = a.day AND k.system = a.system AND k.drive = a.drive
LEFT JOIN happened h ON h.day = a.day AND h.system = a.system AND h.drive = a.drive
LEFT JOIN outage o ON o.day = a.day AND o.system = a.system AND o.drive = a.drive
