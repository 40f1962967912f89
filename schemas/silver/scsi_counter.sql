/*
title = "Counters of drives and tapes, from SCSI log pages"
grain = "one row per counter and reading of a drive's SCSI log pages"
why = "Holds errors, retries, alerts and ages from SCSI log pages. CTA's tape daemon, sg_logs or a library read these pages. Each row also has the drive's name, the tape in the drive, and how much the counter rose."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of logged_at" }
system = { type = "VARCHAR", doc = "archive system" }
host = { type = "VARCHAR", doc = "host on which the drive's SCSI pages were read" }
drive = { type = "VARCHAR", doc = "drive" }
logged_at = { type = "TIMESTAMP", doc = "when the counter was read; for readings by a library, the end of the mount" }
volume = { type = "VARCHAR", doc = "tape in the drive: its label, or else the serial number of the cartridge; NULL where the reading has neither" }
mount_id = { type = "VARCHAR", doc = "identifier of the mount in which the counter was read. From CTA: its mount number. From a library: the time of the mount. Otherwise: number of times that the tape had been loaded so far. NULL where the reading has none of these" }
scope = { type = "VARCHAR", doc = "what the counter describes: mount, drive or volume, as in bronze.scsi_counter" }
counter = { type = "VARCHAR", doc = "name of the counter, as in bronze.scsi_counter" }
value = { type = "DOUBLE", doc = "value of the counter; its unit is part of the counter's name" }
rise = { type = "DOUBLE", doc = "increase since the previous reading of the same drive, tape or mount (see scope), if that reading is at most a day older. After a decrease, or without such a reading: for scope `mount` the value itself, otherwise NULL" }
file_id = { type = "VARCHAR", doc = "file from which the row was made" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectColumnValuesToNotBeNull"
column = "drive"
severity = "critical"
*/
WITH name AS (
    SELECT k.host, k.drive AS named, k.is_device,
           coalesce(d.drive, CASE WHEN k.is_device AND k.host IS NOT NULL THEN concat(split_part(k.host, '.', 1), ':', k.drive) END,
                    k.drive) AS drive
    FROM (SELECT DISTINCT host, drive, regexp_full_match(drive, 'st[0-9]+') AS is_device FROM bronze.scsi_counter) k
    LEFT JOIN site.drive d
        ON d.drive = k.drive OR d.logname = k.drive OR d.slot = k.drive
           OR d.device = k.drive AND (d.mover_host = k.host OR split_part(d.mover_host, '.', 1) = split_part(k.host, '.', 1))
    QUALIFY row_number() OVER (PARTITION BY k.host, k.drive
                               ORDER BY d.drive = k.drive DESC NULLS LAST, d.is_declared DESC NULLS LAST, d.drive) = 1
),
single AS (
    SELECT k.* EXCLUDE (drive), n.drive
    FROM bronze.scsi_counter k JOIN name n ON n.named = k.drive AND n.host IS NOT DISTINCT FROM k.host
    QUALIFY row_number() OVER (PARTITION BY k.system, n.drive, k.logged_at, k.counter ORDER BY k.file_id, k.line_no) = 1
),
-- the label and the count of loads are below the first pages of an answer
placed AS (
    SELECT * REPLACE (
               coalesce(max(volume) FILTER (counter = 'volumeBarcode') OVER reading, volume, max(volume) OVER reading) AS volume,
               coalesce(mount_id, CAST(CAST(max(value) FILTER (counter = 'lifetimeVolumeThreadCount') OVER reading AS BIGINT) AS VARCHAR))
                   AS mount_id)
    FROM single
    WINDOW reading AS (PARTITION BY system, drive, logged_at)
),
followed AS (
    SELECT *, CASE WHEN lag(logged_at) OVER w >= logged_at - INTERVAL 1 DAY THEN lag(value) OVER w END AS before
    FROM placed WHERE value IS NOT NULL
    WINDOW w AS (PARTITION BY system, drive, counter, CASE WHEN scope <> 'drive' THEN volume END,
                              CASE WHEN scope = 'mount' THEN mount_id END ORDER BY logged_at)
)
SELECT CAST(logged_at AS DATE) AS day, system, host, drive, logged_at, volume, mount_id, scope, counter, value,
       CASE WHEN scope = 'mount' THEN CASE WHEN value >= before THEN value - before ELSE value END
            WHEN value >= before THEN value - before END AS rise,
       file_id, line_no
FROM followed
