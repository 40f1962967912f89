/*
title = "Health of drives over a period"
topic = "drives"
why = "Failures, errors and interventions of each drive with the data it moved, to separate bad drives from bad tapes."
takes = ["first_day", "last_day", "drive"]

[columns]
drive = { type = "VARCHAR", doc = "drive" }
generation = { type = "VARCHAR", doc = "technology" }
n_mounts = { type = "BIGINT", doc = "mounts requested, with those that failed" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "moved in complete files" }
drive_read_errors = { type = "BIGINT", doc = "read errors in the drive's own counter, with those it corrected; without failed transfers, which n_failed_transfers counts; NULL where no log shows it" }
drive_write_errors = { type = "BIGINT", doc = "write errors in the drive's own counter, with those it corrected; without failed transfers; NULL where no log shows it" }
uncorrected_errors = { type = "BIGINT", doc = "read and write errors that it could not correct, by its SCSI pages; NULL where no page was read" }
block_retries = { type = "BIGINT", doc = "blocks it read or wrote again, by its SCSI pages; NULL where no page was read" }
n_alerts = { type = "BIGINT", doc = "tape alerts it raised" }
n_failed_transfers = { type = "BIGINT", doc = "transfers that the mover ended with an error code, READ_ERROR or WRITE_ERROR among them" }
n_failed_mounts = { type = "BIGINT", doc = "mounts that failed" }
n_outages = { type = "BIGINT", doc = "times it was set offline or went into error" }
n_restarts = { type = "BIGINT", doc = "starts of its mover" }
n_cleanings = { type = "BIGINT", doc = "cleanings" }
most_volumes_failed = { type = "BIGINT", doc = "different tapes with which it failed on its worst day: many point to the drive, one points to the tape" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours of failed mounts and transfers, with the dismounts and mounts that followed" }
down_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours down" }
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
