/*
title = "The slowest mount of each drive"
why = "Where a drive's rate goes: its mount with the lowest f among those that moved enough to judge."
takes = ["first_day", "last_day"]

[params.min_gb]
type = "DOUBLE"
default = "50"
doc = "mounts that moved less are left out: in them mounting alone decides"

[columns]
drive = { type = "VARCHAR", doc = "drive" }
volume = { type = "VARCHAR", doc = "tape label" }
station = { type = "VARCHAR", doc = "station that asked for most of its bytes" }
mode = { type = "VARCHAR", doc = "read, write or mixed" }
requested_at = { type = "TIMESTAMP", doc = "mount request, UTC" }
n_files = { type = "BIGINT", doc = "files moved whole" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "moved on tape" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / time the drive worked" }
drive_rate_basis = { type = "VARCHAR", doc = "call: inside drive calls; block: the block loop, also checksums and waits in the buffer; encp: the client's rate, also waits for data and file marks" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / wall-clock from mount request to dismounted" }
f = { type = "DOUBLE", unit = "1", doc = "overall / drive rate" }
*/
WITH ranked AS (
    SELECT *, row_number() OVER (PARTITION BY drive ORDER BY f, requested_at, session_id) AS place
    FROM gold.session_rate
    WHERE day BETWEEN $first_day AND $last_day AND volume_gb >= $min_gb AND f IS NOT NULL
)
SELECT drive, volume, station, mode, requested_at, n_files, volume_gb, drive_rate_mb_s, drive_rate_basis,
       overall_rate_mb_s, f
FROM ranked
WHERE place = 1
ORDER BY f, drive
