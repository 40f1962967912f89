/*
title = "Mounts from lists of TSM or a library, or from SCSI pages"
grain = "one row per mount that TSM's server or a library lists, or that SCSI pages of a drive show"
why = "Shows which tape was in which drive, for archives whose own log does not record this. A library's mount is left out if the archive's log covers the drive in any part of the mount. If both the library and TSM's server list a mount, only bytes and slot come from the library. Readings of SCSI pages count only where no log covers the drive and no list shows a mount."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of mounted_at" }
session_id = { type = "VARCHAR", doc = "identifier of the mount: its drive, volume and mounted_at" }
system = { type = "VARCHAR", doc = "archive system" }
library = { type = "VARCHAR", doc = "library" }
drive = { type = "VARCHAR", doc = "name of the drive. NULL where site.toml assigns this `slot` to no drive. Also NULL where drives of several libraries have the same name and no line shows the library" }
slot = { type = "VARCHAR", doc = "place of the drive in the library, by the library's own name; NULL where no library lists the mount" }
volume = { type = "VARCHAR", doc = "tape label" }
mounted_at = { type = "TIMESTAMP", doc = "when the volume had arrived in the drive; for SCSI pages, time of the first reading" }
dismounted_at = { type = "TIMESTAMP", doc = "when the drive was free again; NULL where not known. Times of a library are exact to half a minute. For SCSI pages, time of the last reading" }
mounted_s = { type = "DOUBLE", unit = "s", doc = "dismounted_at - mounted_at" }
read_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes read during the mount, as the library or the drive counted; NULL without such a count" }
write_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes written during the mount, as the library or the drive counted; NULL without such a count" }
witness = { type = "VARCHAR", doc = "source of the row. server: TSM's list. library: the library's list. pages: only SCSI pages of the drive. A mount from pages starts at the first reading and ends at the last; over UTC midnight, it has two rows" }
file_id = { type = "VARCHAR", doc = "file from which the row was made" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "session_id"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "mounted_s"
min_value = 0
severity = "critical"
*/
WITH listed AS (
    -- histories overlap
    SELECT m.* EXCLUDE (system, drive), coalesce(d.system, (SELECT min(system) FROM site.drive), m.system) AS system, d.drive,
           m.drive AS slot, m.mounted_at + to_microseconds(CAST(round(1e6 * m.residency_s) AS BIGINT)) AS dismounted_at
    FROM bronze.library_mount m LEFT JOIN site.drive d ON d.slot = m.drive
    QUALIFY row_number() OVER (PARTITION BY m.drive, m.volume, m.mounted_at ORDER BY m.file_id, m.line_no) = 1
),
logged AS (
    SELECT DISTINCT o.drive, l.from_at, l.to_at
    FROM (SELECT drive, unnest([drive, logname, mover_host, system]) AS name FROM site.drive) o
    JOIN silver.log_coverage l ON l.host = o.name AND l.speaks_for = 'drives' AND l.source <> 'cta_admin'
),
alone AS (
    SELECT * FROM listed m
    WHERE NOT EXISTS (SELECT 1 FROM logged l
                      WHERE l.drive = m.drive AND l.from_at < m.dismounted_at AND l.to_at > m.mounted_at)
),
same AS (
    -- the library's clock is not the server's, and its minutes are whole
    SELECT t.system, t.session_id, a.slot, a.volume, a.mounted_at, a.read_bytes, a.write_bytes
    FROM silver.tsm_mount t JOIN alone a
        ON a.drive = t.drive AND a.volume = t.volume AND abs(date_diff('second', a.mounted_at, t.mounted_at)) <= 180
    QUALIFY row_number() OVER (PARTITION BY t.system, t.session_id
                               ORDER BY abs(date_diff('second', a.mounted_at, t.mounted_at)), a.mounted_at) = 1
),
every_listed AS (
    SELECT t.day, t.session_id, t.system, t.library, t.drive, s.slot, t.volume, t.mounted_at, t.dismounted_at, t.mounted_s,
           s.read_bytes, s.write_bytes, 'server' AS witness, t.file_id, t.line_no
    FROM silver.tsm_mount t LEFT JOIN same s USING (system, session_id)
    UNION ALL
    SELECT CAST(a.mounted_at AS DATE),
           concat_ws(' ', coalesce(a.drive, a.slot), a.volume, strftime(a.mounted_at, '%Y-%m-%dT%H:%M:%S.%fZ')), a.system, a.library,
           a.drive, a.slot, a.volume, a.mounted_at, a.dismounted_at, a.residency_s, a.read_bytes, a.write_bytes, 'library', a.file_id,
           a.line_no
    FROM alone a ANTI JOIN same s ON s.slot = a.slot AND s.volume = a.volume AND s.mounted_at = a.mounted_at
),
shown AS (
    -- the drive's page counts since the mount; a log or list that has the mount takes precedence
    SELECT CAST(logged_at AS DATE) AS day, system, drive, volume, mount_id, min(logged_at) AS mounted_at, max(logged_at) AS dismounted_at,
           CAST(sum(1e6 * rise) FILTER (counter = 'mountMegabytesRead') AS BIGINT) AS read_bytes,
           CAST(sum(1e6 * rise) FILTER (counter = 'mountMegabytesWritten') AS BIGINT) AS write_bytes,
           arg_min(file_id, (logged_at, file_id, line_no)) AS file_id, arg_min(line_no, (logged_at, file_id, line_no)) AS line_no
    FROM silver.scsi_counter k
    WHERE counter IN ('mountMegabytesRead', 'mountMegabytesWritten') AND volume IS NOT NULL AND mount_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM logged l
                      WHERE l.drive = k.drive AND k.logged_at BETWEEN l.from_at AND l.to_at)
      AND NOT EXISTS (SELECT 1 FROM every_listed m
                      WHERE m.drive = k.drive
                        AND k.logged_at BETWEEN m.mounted_at - INTERVAL 3 MINUTE AND m.dismounted_at + INTERVAL 3 MINUTE)
    GROUP BY CAST(logged_at AS DATE), system, drive, volume, mount_id
)
SELECT * FROM every_listed
UNION ALL
SELECT day, concat_ws(' ', drive, volume, strftime(mounted_at, '%Y-%m-%dT%H:%M:%S.%fZ')), system, NULL, drive, NULL, volume,
       mounted_at, dismounted_at, date_diff('microsecond', mounted_at, dismounted_at) / 1e6, read_bytes, write_bytes, 'pages',
       file_id, line_no
FROM shown
