/*
title = "Slow drive or slow tape?"
topic = "drives"
why = "What each drive and each tape contributes to the rate, the other's effect taken out. Where they shared too little, whose fault it is cannot be told, and that is said instead."
takes = ["first_day"]

[params.last_day]
type = "DATE"
doc = "last site day: the newest estimate made by then, of the five weeks before, if these reach into the period"

[columns]
drive = { type = "VARCHAR", doc = "drive; NULL in the row of a tape" }
volume = { type = "VARCHAR", doc = "tape label; NULL in the row of a drive" }
mode = { type = "VARCHAR", doc = "read or write" }
generation = { type = "VARCHAR", doc = "technology of the drives" }
ratio = { type = "DOUBLE", unit = "1", doc = "its rate / that of the typical drive (or tape), the other's effect taken out; NULL where it cannot be told" }
ratio_low = { type = "DOUBLE", unit = "1", doc = "low end of its 90 % interval; tapes have none" }
ratio_high = { type = "DOUBLE", unit = "1", doc = "high end" }
rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median of its large files as they were" }
n_files = { type = "BIGINT", doc = "large files" }
n_drives = { type = "BIGINT", doc = "drives the tape was seen in" }
n_tapes = { type = "BIGINT", doc = "tapes the drive was seen with" }
can_tell = { type = "BOOLEAN", doc = "whether drive and tape can be told apart" }
says = { type = "VARCHAR", doc = "the same in words, or why there is no estimate" }
first_day = { type = "DATE", doc = "first site day that was looked at" }
day = { type = "DATE", doc = "last one: the newest that was judged by then" }
*/
SELECT CASE WHEN is_drive THEN name END AS drive, CASE WHEN NOT is_drive THEN name END AS volume, mode, generation,
       ratio, ratio_low, ratio_high, rate_mb_s, n_files, CASE WHEN NOT is_drive THEN n_others END AS n_drives,
       CASE WHEN is_drive THEN n_others END AS n_tapes, reason_missing IS NULL AS can_tell,
       CASE
           WHEN reason_missing IS NOT NULL THEN 'cannot estimate: ' || reason_missing
           WHEN is_drive AND ratio_high < 1 THEN format('slower drive, {:.2f} times the typical one ({:.2f} to {:.2f})', ratio, ratio_low, ratio_high)
           WHEN is_drive AND ratio_low > 1 THEN format('quicker drive, {:.2f} times the typical one ({:.2f} to {:.2f})', ratio, ratio_low, ratio_high)
           WHEN is_drive THEN 'a drive as others'
           ELSE format('{:.2f} times the typical tape, in {} drives', ratio, n_others)
       END AS says,
       first_day, day
FROM gold.drive_tape_effect
WHERE day = (SELECT max(day) FROM gold.drive_tape_effect WHERE day <= $last_day) AND day > $first_day - 35
ORDER BY can_tell DESC, is_drive DESC, ratio, name, mode, generation
