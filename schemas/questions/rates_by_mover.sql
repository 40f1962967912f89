/*
title = "Drive rates by mover host"
topic = "drives"
why = "Compares drives of the same technology on different mover hosts, to show on which hosts the drives stream, and which hosts slow their drives down."
takes = ["first_day", "last_day"]

[columns]
generation = { type = "VARCHAR", doc = "technology of the drives; NULL where site.toml does not name it" }
mode = { type = "VARCHAR", doc = "read or write" }
drive_rate_basis = { type = "VARCHAR", doc = "how the time in the drive rate was measured: call, block or encp (see the glossary). Rates with different bases cannot be compared" }
mover_host = { type = "VARCHAR", doc = "host on which the movers of the drives run" }
n_drives = { type = "BIGINT", doc = "number of the host's drives that moved large files (500 MB or more)" }
n_files = { type = "BIGINT", doc = "number of large files moved by these drives" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median drive rate of the large files" }
ratio_to_best = { type = "DOUBLE", was = "of_best", unit = "1", doc = "drive_rate_mb_s / the highest such median among hosts with the same technology, mode and basis" }
*/
WITH hosted AS (
    SELECT generation, mode, drive_rate_basis, mover_host, count(DISTINCT drive) AS n_drives, count(*) AS n_files,
           median(rate_mb_s) AS drive_rate_mb_s
    FROM gold.file_rate
    WHERE day BETWEEN $first_day AND $last_day
    GROUP BY ALL
)
SELECT generation, mode, drive_rate_basis, mover_host, n_drives, n_files, drive_rate_mb_s,
       drive_rate_mb_s / max(drive_rate_mb_s) OVER (PARTITION BY generation, mode, drive_rate_basis) AS ratio_to_best
FROM hosted
ORDER BY generation, mode, drive_rate_basis, drive_rate_mb_s DESC, mover_host
