/*
title = "Mounts: rates, and how much of the tape was read"
grain = "one row per mount in which files moved; drives known only by their counters have one row per stretch of use instead, because counters do not show mounts"
why = "Shows drive rate and overall rate of each mount. Also shows how much of the tape was read, in which order, and how often the tape was mounted that day. A drive that can stream 120 MB/s may deliver only 30 MB/s if each mount reads only one file."
lineage = ["file_id", "line_no"]
features = ["D1", "D5", "D10", "P07", "P33", "P37"]
replaces = ["gold.session_rate", "gold.mount_yield"]

[columns]
session_id = { type = "VARCHAR", doc = "identifier of the mount" }
system = { type = "VARCHAR", doc = "archive system" }
station = { type = "VARCHAR", doc = "station for which most bytes of the mount were moved" }
storage_group = { type = "VARCHAR", doc = "storage group (owner of the files, e.g. an experiment) with most of the bytes moved in the mount" }
file_family = { type = "VARCHAR", doc = "file family (files that share tapes, e.g. one data set) with the most bytes moved in the mount, among the families of the column storage_group" }
drive = { type = "VARCHAR", doc = "drive" }
volume = { type = "VARCHAR", doc = "tape label" }
mode = { type = "VARCHAR", doc = "read, write or mixed (both)" }
site_day = { type = "DATE", doc = "site day of begun_at" }
requested_at = { type = "TIMESTAMP", doc = "when the mount was requested; NULL where this was not logged" }
begun_at = { type = "TIMESTAMP", doc = "when the mount was requested; where this was not logged, time of the first logged step of the mount" }
dismounted_at = { type = "TIMESTAMP", doc = "when the drive was free again; NULL where this was not logged" }
n_files = { type = "BIGINT", doc = "number of files that were completely moved in the mount; counted as n_files in gold.tape_traffic" }
n_different = { type = "BIGINT", doc = "number of different files among n_files, distinguished by their number on the tape" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "data of the files counted in n_files that moved to or from tape" }
drive_s = { type = "DOUBLE", unit = "s", doc = "time that the drive worked on the files counted in n_files, measured as drive_rate_basis defines it" }
drive_rate_basis = { type = "VARCHAR", doc = "how drive_s was measured: call, block, encp (the client's rate, whose time includes waits for data and file marks), counter or estimate. mixed: the files were measured in different ways, or some have no drive time. A mixed mount has no drive rate. NULL where no file has a drive time" }
mount_s = { type = "DOUBLE", unit = "s", doc = "time from the mount request until the tape was ready; NULL where either was not logged" }
dismount_s = { type = "DOUBLE", unit = "s", doc = "time from the decision to dismount until the drive was free; NULL where either was not logged" }
wall_s = { type = "DOUBLE", unit = "s", doc = "time from mount request to the end of the dismount. Lists of a server or library record no requests. For mounts known only from such lists, the time starts when the tape is in the drive. NULL where start or end was not logged" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / drive_s" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes moved / wall_s; this time includes gaps, mount and dismount" }
f = { type = "DOUBLE", unit = "1", doc = "efficiency: overall rate / drive rate" }
n_volume_files = { type = "BIGINT", doc = "number of files on the tape: the number of known files or the highest known file number, whichever is larger" }
tape_gb = { type = "DOUBLE", unit = "GB", doc = "data on the tape; files of unknown size count with the mean size of the tape's other files" }
file_share = { type = "DOUBLE", unit = "1", doc = "number of different files that the mount read / number of files on the tape; NULL for mounts that wrote" }
byte_share = { type = "DOUBLE", unit = "1", doc = "bytes of the different files that the mount read / bytes on the tape; NULL for mounts that wrote" }
pattern = { type = "VARCHAR", doc = "reading order of a mount that wrote nothing: the first of the orders below that applies. A step leads from one file to the next file that was read. Only steps between files with known numbers count. single: one file was read. random: at least a tenth of the steps lead back to an earlier file. complete: the mount read at least 95 % of the tape's files, and at least nine in ten steps lead to the next file on the tape. sequential: at least nine in ten steps lead to the next file on the tape. alternate: at least nine in ten steps skip exactly one file. sparse: other orders. NULL for mounts that wrote, where no log shows the files' numbers on the tape, and where no step is known" }
n_back = { type = "BIGINT", doc = "number of steps in which the mount went back to an earlier file on the tape" }
skipped_gb = { type = "DOUBLE", unit = "GB", doc = "data that the drive wound past between files without reading it; forward and backward motions both count. NULL where the files on the tape are not known, and where only one file moved" }
position_s = { type = "DOUBLE", unit = "s", doc = "time for tape motion during the mount, including the motion to the first file" }
n_mounts_day = { type = "BIGINT", doc = "number of this tape's mounts on the site day, counting only mounts in which files moved; NULL where no log names the tape" }
file_id = { type = "VARCHAR", doc = "log file with the first step of the mount" }
line_no = { type = "BIGINT", doc = "number of the line with the first step of the mount" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "session_id"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "f"
min_value = 0
max_value = 1.05
severity = "warning"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "file_share"
min_value = 0
max_value = 1
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeInSet"
column = "pattern"
value_set = ["single", "complete", "sequential", "alternate", "sparse", "random"]
severity = "critical"
*/
WITH placed AS (
    -- bytes before each file of a tape
    SELECT system, volume, file_number, bytes,
           sum(bytes) OVER (PARTITION BY system, volume ORDER BY file_number) - bytes AS before_bytes
    FROM silver.volume_file
),
tape AS (
    SELECT system, volume, greatest(count(*), max(file_number)) AS n_files,
           sum(bytes) * (greatest(count(*), max(file_number)) / count(bytes)) AS bytes
    FROM silver.volume_file GROUP BY system, volume
),
moved AS (
    SELECT t.system, t.session_id, t.station, t.storage_group, t.file_family, t.file_number, t.bytes, t.drive_s,
           t.drive_rate_basis, p.before_bytes,
           lag(t.file_number) OVER files AS previous_number, lag(p.before_bytes + p.bytes) OVER files AS previous_end
    FROM silver.transfer t
    LEFT JOIN placed p ON p.system = t.system AND p.volume = t.volume AND p.file_number = t.file_number
    WHERE t.status = 'ok' AND t.session_id IS NOT NULL
    WINDOW files AS (PARTITION BY t.system, t.session_id ORDER BY t.started_at, t.transfer_id)
),
summed AS (
    SELECT system, session_id, count(*) AS n_files, count(DISTINCT file_number) AS n_different, sum(bytes) AS bytes,
           count(file_number - previous_number) AS n_steps, count(*) FILTER (file_number < previous_number) AS n_back,
           count(*) FILTER (file_number = previous_number + 1) AS n_next,
           count(*) FILTER (file_number = previous_number + 2) AS n_over_one,
           sum(abs(before_bytes - previous_end)) AS skipped_bytes,
           -- whole microseconds: their sum does not depend on the order in which the files come
           sum(CAST(1e6 * drive_s AS BIGINT)) / 1e6 AS timed_s, bool_or(drive_s IS NULL) AS lacks_time,
           count(DISTINCT drive_rate_basis) AS n_bases, min(drive_rate_basis) AS a_basis
    FROM moved GROUP BY system, session_id
),
different AS (
    SELECT system, session_id, sum(bytes) AS bytes
    FROM (SELECT system, session_id, file_number, max(bytes) AS bytes FROM moved
          WHERE file_number IS NOT NULL GROUP BY system, session_id, file_number)
    GROUP BY system, session_id
),
by_asker AS (
    SELECT system, session_id, station, storage_group, file_family, sum(bytes) AS bytes FROM moved
    GROUP BY system, session_id, station, storage_group, file_family
),
asker AS (
    SELECT system, session_id, storage_group, file_family
    FROM (SELECT system, session_id, storage_group, file_family, sum(bytes) AS bytes,
                 sum(sum(bytes)) OVER (PARTITION BY system, session_id, storage_group) AS group_bytes
          FROM by_asker GROUP BY system, session_id, storage_group, file_family)
    QUALIFY row_number() OVER (PARTITION BY system, session_id
                               ORDER BY group_bytes DESC, storage_group, bytes DESC, file_family) = 1
),
asking AS (
    SELECT system, session_id, station FROM by_asker
    GROUP BY system, session_id, station
    QUALIFY row_number() OVER (PARTITION BY system, session_id ORDER BY sum(bytes) DESC, station) = 1
),
motion AS (
    SELECT system, session_id, sum(date_diff('microsecond', from_at, to_at)) / 1e6 AS position_s
    FROM silver.drive_state WHERE state = 'position' AND session_id IS NOT NULL
    GROUP BY system, session_id
),
mounted AS (
    SELECT s.*, m.* EXCLUDE (system, session_id), coalesce(s.requested_at, s.from_at) AS begun_at,
           CASE WHEN m.n_bases = 1 AND NOT m.lacks_time THEN m.timed_s END AS drive_s,
           CASE WHEN m.n_bases = 0 THEN NULL WHEN m.n_bases > 1 OR m.lacks_time THEN 'mixed' ELSE m.a_basis END
               AS drive_rate_basis,
           -- for a mount that a server or library lists, the only known time is that with the tape in the drive
           date_diff('microsecond', CASE WHEN s.witnesses = 'server' AND s.status = 'ok' THEN s.mounted_at ELSE s.requested_at END,
                     s.dismounted_at) / 1e6 AS wall_s,
           site_day(coalesce(s.requested_at, s.from_at), c.zone) AS site_day
    FROM silver.session s
    JOIN summed m ON m.system = s.system AND m.session_id = s.session_id
    CROSS JOIN site.setting c
)
SELECT m.session_id, m.system, b.station, a.storage_group, a.file_family, m.drive, m.volume, m.mode, m.site_day,
       m.requested_at, m.begun_at, m.dismounted_at, m.n_files, m.n_different, m.bytes / 1e9 AS volume_gb,
       m.drive_s, m.drive_rate_basis, m.mount_s, m.dismount_s, m.wall_s, m.bytes / 1e6 / nullif(m.drive_s, 0) AS drive_rate_mb_s,
       m.bytes / 1e6 / nullif(m.wall_s, 0) AS overall_rate_mb_s, m.drive_s / nullif(m.wall_s, 0) AS f,
       t.n_files AS n_volume_files, t.bytes / 1e9 AS tape_gb,
       -- a mount whose change of tapes was not logged may hold files of two
       CASE WHEN m.mode = 'read' THEN least(m.n_different / t.n_files, 1) END AS file_share,
       CASE WHEN m.mode = 'read' THEN least(d.bytes / t.bytes, 1) END AS byte_share,
       CASE WHEN m.mode IS DISTINCT FROM 'read' OR m.n_different = 0 THEN NULL
            WHEN m.n_files = 1 THEN 'single'
            WHEN m.n_steps = 0 THEN NULL
            WHEN 10 * m.n_back >= m.n_steps AND m.n_back > 0 THEN 'random'
            WHEN 10 * m.n_next >= 9 * m.n_steps AND 100 * m.n_different >= 95 * t.n_files THEN 'complete'
            WHEN 10 * m.n_next >= 9 * m.n_steps THEN 'sequential'
            WHEN 10 * m.n_over_one >= 9 * m.n_steps THEN 'alternate'
            ELSE 'sparse' END AS pattern,
       m.n_back, m.skipped_bytes / 1e9 AS skipped_gb, coalesce(p.position_s, 0) AS position_s,
       CASE WHEN m.volume IS NOT NULL THEN count(*) OVER (PARTITION BY m.system, m.volume, m.site_day) END AS n_mounts_day, m.file_id, m.line_no
FROM mounted m
LEFT JOIN asker a ON a.system = m.system AND a.session_id = m.session_id
LEFT JOIN asking b ON b.system = m.system AND b.session_id = m.session_id
LEFT JOIN different d ON d.system = m.system AND d.session_id = m.session_id
LEFT JOIN tape t ON t.system = m.system AND t.volume = m.volume
LEFT JOIN motion p ON p.system = m.system AND p.session_id = m.session_id
