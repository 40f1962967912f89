/*
title = "Slow drive or slow tape?"
topic = "drives"
why = "Separates the effects of drives and of tapes on the rate: how fast each drive is, whatever the tape, and how fast each tape is, whatever the drive. If the effects cannot be separated, the row gives the reason."
takes = ["first_day"]

[params.last_day]
type = "DATE"
doc = "last site day; the newest estimate up to this day is shown. Each estimate uses the data of five weeks"

[columns]
drive = { type = "VARCHAR", doc = "name of the drive; NULL in a row for a tape" }
volume = { type = "VARCHAR", doc = "tape label; NULL in a row for a drive" }
mode = { type = "VARCHAR", doc = "read or write" }
generation = { type = "VARCHAR", doc = "technology of the drives; NULL where site.toml does not name it" }
ratio = { type = "DOUBLE", unit = "1", doc = "rate compared with the typical rate. For a drive: its rate / rate of the typical drive, without the effect of tapes. For a tape: its rate / rate of the typical tape, without the effect of drives. NULL where the two effects cannot be separated" }
ratio_low = { type = "DOUBLE", unit = "1", doc = "low end of the ratio's 90 % interval; NULL for tapes, and where ratio is NULL" }
ratio_high = { type = "DOUBLE", unit = "1", doc = "high end of the ratio's 90 % interval; NULL for tapes, and where ratio is NULL" }
rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median drive rate of the large files of this drive on all its tapes, or of this tape in all its drives" }
n_files = { type = "BIGINT", doc = "number of large files (500 MB or more) of this drive or tape" }
n_drives = { type = "BIGINT", doc = "number of drives in which the tape was used; NULL in a row for a drive" }
n_tapes = { type = "BIGINT", doc = "number of tapes that were used in the drive; NULL in a row for a tape" }
can_tell = { type = "BOOLEAN", doc = "true if the effects of drives and tapes can be separated" }
n_errors = { type = "BIGINT", doc = "number of read and write errors, corrected or not, in the SCSI log pages from first_day to day. For a drive: errors with all its tapes, in both modes. For a tape: errors in all its drives, in both modes. NULL where no page with such a counter was read" }
n_uncorrected = { type = "BIGINT", doc = "number of read and write errors that could not be corrected, in the SCSI log pages from first_day to day; NULL where no page with such a counter was read" }
n_block_retries = { type = "BIGINT", doc = "number of blocks that drives read or wrote again, in the SCSI log pages from first_day to day; NULL where no page with such a counter was read" }
summary = { type = "VARCHAR", was = "says", doc = "the result as a sentence, or why there is no estimate" }
first_day = { type = "DATE", doc = "first site day of the data that the estimate uses" }
day = { type = "DATE", doc = "last site day of the data that the estimate uses" }
*/
WITH error AS (
    SELECT day, system, unnest([TRUE, FALSE]) AS is_drive, unnest([drive, volume]) AS name,
           coalesce(read_errors + write_errors, read_errors, write_errors) AS errors, uncorrected_errors AS uncorrected,
           block_retries AS retries
    FROM gold.mount_error
),
effect AS (
    SELECT * FROM gold.drive_tape_effect
    WHERE day = (SELECT max(day) FROM gold.drive_tape_effect WHERE day <= $last_day) AND day > $first_day - 35
),
counted AS (
    SELECT e.system, e.is_drive, e.name, CAST(sum(k.errors) AS BIGINT) AS n_errors,
           CAST(sum(k.uncorrected) AS BIGINT) AS n_uncorrected, CAST(sum(k.retries) AS BIGINT) AS n_block_retries
    FROM (SELECT DISTINCT system, is_drive, name, first_day, day FROM effect) e
    JOIN error k ON k.system = e.system AND k.is_drive = e.is_drive AND k.name = e.name AND k.day BETWEEN e.first_day AND e.day
    GROUP BY e.system, e.is_drive, e.name
)
SELECT CASE WHEN is_drive THEN name END AS drive, CASE WHEN NOT is_drive THEN name END AS volume, mode, generation,
       ratio, ratio_low, ratio_high, rate_mb_s, n_files, CASE WHEN NOT is_drive THEN n_others END AS n_drives,
       CASE WHEN is_drive THEN n_others END AS n_tapes, reason_missing IS NULL AS can_tell,
       n_errors, n_uncorrected, n_block_retries,
       CASE
           WHEN reason_missing IS NOT NULL THEN 'cannot estimate: ' || reason_missing
           WHEN is_drive AND ratio_high < 1 THEN format('slower drive: {:.2f} times the rate of a typical drive ({:.2f} to {:.2f})', ratio, ratio_low, ratio_high)
           WHEN is_drive AND ratio_low > 1 THEN format('faster drive: {:.2f} times the rate of a typical drive ({:.2f} to {:.2f})', ratio, ratio_low, ratio_high)
           WHEN is_drive THEN 'no difference from a typical drive can be shown'
           ELSE format('{:.2f} times the rate of a typical tape, in {} drives', ratio, n_others)
       END AS summary,
       first_day, day
FROM effect LEFT JOIN counted USING (system, is_drive, name)
ORDER BY can_tell DESC, is_drive DESC, ratio, name, mode, generation
