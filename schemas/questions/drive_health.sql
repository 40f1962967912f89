/*
title = "Health of drives over a period"
topic = "drives"
why = "Shows the failures, errors, restarts and cleanings of each drive, and the data it moved. These numbers help to distinguish bad drives from bad tapes."
takes = ["first_day", "last_day", "drive"]

[columns]
drive = { type = "VARCHAR", doc = "drive" }
generation = { type = "VARCHAR", doc = "technology of the drive, e.g. LTO-4" }
n_mounts = { type = "BIGINT", doc = "number of mounts requested for the drive, including failed ones" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "data that the drive moved; only files that were moved completely count" }
drive_read_errors = { type = "BIGINT", doc = "read errors counted by the drive, including corrected ones; failed transfers are in n_failed_transfers. NULL where no log shows the counter" }
drive_write_errors = { type = "BIGINT", doc = "write errors counted by the drive, including corrected ones; failed transfers are in n_failed_transfers. NULL where no log shows the counter" }
uncorrected_errors = { type = "BIGINT", doc = "number of read and write errors that the drive could not correct, from the drive's SCSI log pages; NULL where no page with these counts was read" }
block_retries = { type = "BIGINT", doc = "number of blocks that the drive read or wrote again, from the drive's SCSI log pages; NULL where no page with this count was read" }
n_alerts = { type = "BIGINT", doc = "number of tape alerts (TapeAlert flags) of the drive, from SCSI log pages, CTA's log or the library's list of mounts. In the pages and the list, a flag that stays set counts once per tape and UTC day" }
n_failed_transfers = { type = "BIGINT", doc = "number of transfers that failed in the drive, for example with the error READ_ERROR or WRITE_ERROR" }
n_failed_mounts = { type = "BIGINT", doc = "number of mounts and dismounts that failed in the drive" }
n_outages = { type = "BIGINT", doc = "number of times that the drive was set offline or went into error" }
n_restarts = { type = "BIGINT", doc = "number of starts of the drive's mover" }
n_cleanings = { type = "BIGINT", doc = "number of cleanings" }
most_volumes_failed = { type = "BIGINT", doc = "highest number of different tapes with a failed mount or transfer in the drive on one day. Many tapes point to a bad drive, a single tape to a bad tape" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours lost to failed transfers, failed mounts, hung mounts and mounts that moved no data. The hours of a failed transfer include a dismount and new mount of the tape within an hour after it" }
down_hours = { type = "DOUBLE", unit = "h", doc = "hours in which the drive was offline, in error, cleaning or hung" }
*/
SELECT h.drive, any_value(d.generation) AS generation, CAST(sum(h.n_mounts) AS BIGINT) AS n_mounts,
       sum(h.volume_gb) AS volume_gb, CAST(sum(h.read_errors) AS BIGINT) AS drive_read_errors,
       CAST(sum(h.write_errors) AS BIGINT) AS drive_write_errors,
       CAST(sum(h.uncorrected_errors) AS BIGINT) AS uncorrected_errors,
       CAST(sum(h.block_retries) AS BIGINT) AS block_retries, CAST(sum(h.n_alerts) AS BIGINT) AS n_alerts,
       CAST(sum(h.n_failed_transfers) AS BIGINT) AS n_failed_transfers,
       CAST(sum(h.n_failed_mounts + h.n_failed_dismounts) AS BIGINT) AS n_failed_mounts,
       CAST(sum(h.n_outages) AS BIGINT) AS n_outages, CAST(sum(h.n_restarts) AS BIGINT) AS n_restarts,
       CAST(sum(h.n_cleanings) AS BIGINT) AS n_cleanings, max(h.n_volumes_failed) AS most_volumes_failed,
       sum(h.lost_hours) AS lost_hours, sum(h.down_hours) AS down_hours
FROM gold.drive_health h LEFT JOIN site.drive d ON d.drive = h.drive
WHERE h.day BETWEEN $first_day AND $last_day AND $drive IN ('', h.drive)
GROUP BY h.drive
ORDER BY sum(h.lost_hours) + sum(h.down_hours) DESC, h.drive
