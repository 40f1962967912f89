/*
title = "Slow drive or slow tape?"
why = "A tape's rate less what its drives do to every tape. To be read only where a tape was seen in several drives: in one alone the two cannot be told apart."

[params.first_day]
type = "DATE"
doc = "first site day; the last day with data if left out"

[params.last_day]
type = "DATE"
doc = "last site day; the last day with data if left out"

[columns]
volume = { type = "VARCHAR", doc = "tape label" }
mode = { type = "VARCHAR", doc = "read or write" }
generation = { type = "VARCHAR", doc = "technology of the drives" }
tape_effect_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median of the rates of its large files, each less its drive's effect, less the median of all files of the technology; below 0 it is slow" }
n_drives = { type = "BIGINT", doc = "drives it was seen in" }
n_files = { type = "BIGINT", doc = "large files" }
can_tell = { type = "BOOLEAN", doc = "seen in two drives or more" }
*/
WITH rate AS (
    SELECT volume, drive, mode, generation, drive_rate_basis, rate_mb_s FROM gold.file_rate
    WHERE day BETWEEN $first_day AND $last_day
),
everywhere AS (
    SELECT mode, generation, drive_rate_basis, median(rate_mb_s) AS mb_s FROM rate GROUP BY ALL
),
drive AS (
    SELECT r.drive, r.mode, r.drive_rate_basis, median(r.rate_mb_s) - any_value(e.mb_s) AS effect_mb_s, any_value(e.mb_s) AS mb_s
    FROM rate r
    JOIN everywhere e ON e.mode = r.mode AND e.generation IS NOT DISTINCT FROM r.generation
        AND e.drive_rate_basis IS NOT DISTINCT FROM r.drive_rate_basis
    GROUP BY r.drive, r.mode, r.drive_rate_basis
)
SELECT r.volume, r.mode, r.generation, median(r.rate_mb_s - d.effect_mb_s - d.mb_s) AS tape_effect_mb_s,
       count(DISTINCT r.drive) AS n_drives, count(*) AS n_files, count(DISTINCT r.drive) >= 2 AS can_tell
FROM rate r
JOIN drive d ON d.drive = r.drive AND d.mode = r.mode AND d.drive_rate_basis IS NOT DISTINCT FROM r.drive_rate_basis
GROUP BY r.volume, r.mode, r.generation
ORDER BY can_tell DESC, tape_effect_mb_s, r.volume, r.mode
