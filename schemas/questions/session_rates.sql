/*
title = "Drive rate and overall rate of mounts"
why = "A drive streams at one rate and delivers another: the two, per mount, and their ratio f."
takes = ["first_day", "last_day"]

[columns]
day = { type = "DATE", doc = "site day of the mount request" }
station = { type = "VARCHAR", doc = "station that asked for most of its bytes" }
volume = { type = "VARCHAR", doc = "tape label" }
drive = { type = "VARCHAR", doc = "drive" }
mode = { type = "VARCHAR", doc = "read, write or mixed" }
requested_at = { type = "TIMESTAMP", doc = "mount request, UTC" }
n_files = { type = "BIGINT", doc = "files moved whole" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "moved on tape" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / time the drive worked" }
drive_rate_basis = { type = "VARCHAR", doc = "call: inside drive calls; block: the block loop, also checksums and waits in the buffer; encp: the client's rate, also waits for data and file marks" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / wall-clock from mount request to dismounted" }
f = { type = "DOUBLE", unit = "1", doc = "overall / drive rate" }
*/
SELECT day, station, volume, drive, mode, requested_at, n_files, volume_gb, drive_rate_mb_s, drive_rate_basis,
       overall_rate_mb_s, f
FROM gold.session_rate
WHERE day BETWEEN $first_day AND $last_day
ORDER BY day, requested_at, drive
