/*
title = "Drive rates of large files"
grain = "one row per completely moved file of at least 500 MB whose drive time was logged"
why = "Shows the rate of a drive with a tape while the drive streams. Only large files are included, because starts and stops hardly affect their rates. The rates allow two comparisons: a drive with similar drives, and a tape with other tapes in the same drives."
partition = "month"
lineage = ["file_id", "line_no"]
features = ["D9", "G4", "P25"]

[columns]
day = { type = "DATE", doc = "site day of started_at" }
transfer_id = { type = "VARCHAR", doc = "identifier of the transfer" }
system = { type = "VARCHAR", doc = "archive system" }
station = { type = "VARCHAR", doc = "station for which the file was moved" }
drive = { type = "VARCHAR", doc = "drive" }
generation = { type = "VARCHAR", doc = "technology of the drive; NULL where site.toml does not name it" }
mover_host = { type = "VARCHAR", doc = "host on which the mover runs" }
volume = { type = "VARCHAR", doc = "tape label" }
mode = { type = "VARCHAR", doc = "read or write" }
file_number = { type = "BIGINT", doc = "number of the file on the volume" }
bytes = { type = "BIGINT", unit = "bytes", doc = "bytes moved to or from tape" }
started_at = { type = "TIMESTAMP", doc = "time of the first block" }
ended_at = { type = "TIMESTAMP", doc = "time of the last block" }
drive_s = { type = "DOUBLE", unit = "s", doc = "time that the drive worked on the file, measured as drive_rate_basis defines it" }
drive_rate_basis = { type = "VARCHAR", doc = "how drive_s was measured: call, block or encp. Rates on different bases cannot be compared. With basis encp, drive_s also includes file marks and waits for data. Files with basis counter or estimate are left out" }
rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / drive_s" }
file_id = { type = "VARCHAR", doc = "log file with the line about the start of the transfer" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "transfer_id"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "rate_mb_s"
min_value = 0
max_value = 2000
severity = "warning"
*/
SELECT site_day(t.started_at, c.zone) AS day, t.transfer_id, t.system, t.station,
       t.drive, d.generation, t.mover_host, t.volume, t.mode, t.file_number, t.bytes, t.started_at, t.ended_at,
       t.drive_s, t.drive_rate_basis, t.bytes / 1e6 / t.drive_s AS rate_mb_s, t.file_id, t.line_no
FROM silver.transfer t
LEFT JOIN site.drive d ON d.drive = t.drive
CROSS JOIN site.setting c
WHERE t.status = 'ok' AND t.bytes >= 500000000 AND t.drive_s > 0 AND t.drive_rate_basis NOT IN ('counter', 'estimate')
