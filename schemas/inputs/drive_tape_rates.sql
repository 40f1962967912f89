/*
title = "Rates of large files by drive and tape"
why = "Lists the drive rates of large files (500 MB or more) by drive and tape. From these rates, tapescope estimates whether differences in rate come from drives or from tapes."
takes = ["first_day", "last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
mode = { type = "VARCHAR", doc = "read or write" }
generation = { type = "VARCHAR", doc = "technology of the drive; NULL where site.toml does not name it" }
drive_rate_basis = { type = "VARCHAR", doc = "basis of the drive rate: call, block or encp" }
drive = { type = "VARCHAR", doc = "drive" }
volume = { type = "VARCHAR", doc = "tape label" }
rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "drive rate of the file" }
*/
SELECT system, mode, generation, drive_rate_basis, drive, volume, rate_mb_s
FROM gold.file_rate
WHERE day BETWEEN $first_day AND $last_day AND drive IS NOT NULL AND volume IS NOT NULL AND rate_mb_s > 0
ORDER BY ALL
