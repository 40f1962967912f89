/*
title = "Rates of large files, and gaps between files"
why = "Lists rates and gaps, to estimate the effects of changes. Only values with equal properties, such as tape and file size, are compared. Each row lists these properties."

[params.begin]
type = "TIMESTAMP"
doc = "start of the period, UTC"

[params.end]
type = "TIMESTAMP"
doc = "end of the period, exclusive, UTC"

[columns]
measure = { type = "VARCHAR", doc = "rate (drive rate of a file of at least 500 MB) or gap (between two files)" }
moved_at = { type = "TIMESTAMP", doc = "when the transfer of the file, or the gap, began" }
value = { type = "DOUBLE", doc = "rate in MB/s, or gap in s; gaps with any time in which the drive had no request are left out" }
mode = { type = "VARCHAR", doc = "read or write" }
generation = { type = "VARCHAR", doc = "technology of the drive; NULL where site.toml does not name it" }
system = { type = "VARCHAR", doc = "archive system" }
station = { type = "VARCHAR", doc = "station" }
drive = { type = "VARCHAR", doc = "drive" }
mover_host = { type = "VARCHAR", doc = "host of the drive's mover" }
volume = { type = "VARCHAR", doc = "tape label" }
cluster = { type = "VARCHAR", doc = "group of values that depend on each other: files of one tape in one drive on a day, or gaps of one mount" }
size = { type = "BIGINT", doc = "size class of the file to which the rate belongs: 0 for 0.5 to 1 GB, 1 for 1 to 2 GB, 2 for 2 to 4 GB and so on. Rows of gaps have 0" }
basis = { type = "VARCHAR", doc = "basis of the drive rate: call, block or encp; empty for gaps" }
*/
SELECT 'rate' AS measure, started_at AS moved_at, rate_mb_s AS value, mode, generation, system, station, drive, mover_host,
       volume, concat_ws(' ', drive, volume, day) AS cluster, CAST(floor(log2(bytes / 5e8)) AS BIGINT) AS size,
       drive_rate_basis AS basis
FROM gold.file_rate WHERE started_at >= $begin AND started_at < $end AND rate_mb_s > 0
UNION ALL
SELECT 'gap', g.started_at, g.gap_s, g.mode, d.generation, g.system, g.station, g.drive, d.mover_host, g.volume, g.session_id,
       0, ''
FROM silver.gap g LEFT JOIN site.drive d ON d.drive = g.drive
WHERE g.started_at >= $begin AND g.started_at < $end AND g.gap_s > 0 AND g.no_request_s = 0
