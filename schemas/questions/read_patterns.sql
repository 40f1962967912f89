/*
title = "Organised and scattered reads in each week"
topic = "mounts"
why = "If a cache is flushed too often, or users bypass it, a few long reads become many short ones. Files per mount then fall and drive-hours per TB rise, weeks before users complain."
takes = ["last_day", "group"]

[params.n_weeks]
type = "BIGINT"
default = "6"
doc = "number of weeks in the period, which ends with last_day"

[columns]
storage_group = { type = "VARCHAR", doc = "storage group (owner of the files, e.g. an experiment) to which most bytes of each mount belong; NULL where no log records it" }
week_from = { type = "DATE", doc = "first site day of the week, which has seven days and need not start on Monday" }
n_mounts = { type = "BIGINT", doc = "number of mounts that only read, and whose duration is known" }
n_volumes = { type = "BIGINT", doc = "number of different tapes in the mounts counted in n_mounts" }
files_a_mount = { type = "DOUBLE", doc = "mean number of files per mount counted in n_mounts" }
chaotic_share = { type = "DOUBLE", unit = "1", doc = "share of the mounts whose reading order (pattern in gold.mount) is single (one file), random (often back to earlier files) or sparse (no regular order). Mounts of unknown order are only in the denominator" }
remounts = { type = "DOUBLE", unit = "1", doc = "number of mounts whose tape a log names / n_volumes; 1 means that no tape was mounted again" }
hours_tb = { type = "DOUBLE", unit = "h/TB", doc = "drive-hours per TB read; the hours are those from mount request to end of dismount (wall_s of gold.mount)" }
ratio_to_first = { type = "DOUBLE", was = "of_first", unit = "1", doc = "hours_tb / hours_tb of the first week with at least 10 mounts; NULL in a week with fewer than 10 mounts" }
has_degraded = { type = "BOOLEAN", was = "is_slide", doc = "true if reads have become scattered since the first week with at least 10 mounts: ratio_to_first is at least 2, and chaotic_share has grown. NULL where ratio_to_first is NULL" }
*/
WITH mount AS (
    SELECT storage_group, system, volume, n_files, volume_gb, wall_s, pattern,
           CAST($last_day - CAST(7 * (($last_day - site_day) // 7) + 6 AS INTEGER) AS DATE) AS week_from
    FROM gold.mount
    WHERE site_day BETWEEN $last_day - CAST(7 * $n_weeks - 1 AS INTEGER) AND $last_day
      AND mode = 'read' AND wall_s IS NOT NULL AND volume_gb > 0 AND $group IN ('', storage_group)
),
weekly AS (
    SELECT storage_group, week_from, count(*) AS n_mounts, count(DISTINCT (system, volume)) FILTER (volume IS NOT NULL) AS n_volumes,
           sum(n_files) / count(*) AS files_a_mount,
           count(*) FILTER (pattern IN ('single', 'sparse', 'random')) / count(*) AS chaotic_share,
           count(volume) / nullif(n_volumes, 0) AS remounts,
           (sum(wall_s) / 3600) / (sum(volume_gb) / 1e3) AS hours_tb
    FROM mount GROUP BY storage_group, week_from
),
compared AS (
    SELECT *, CASE WHEN n_mounts >= 10 THEN hours_tb / arg_min(hours_tb, week_from) FILTER (n_mounts >= 10) OVER alike END
               AS ratio_to_first,
           arg_min(chaotic_share, week_from) FILTER (n_mounts >= 10) OVER alike AS chaotic_first
    FROM weekly WINDOW alike AS (PARTITION BY storage_group)
)
SELECT storage_group, week_from, n_mounts, n_volumes, files_a_mount, chaotic_share, remounts, hours_tb, ratio_to_first,
       CASE WHEN ratio_to_first IS NOT NULL THEN ratio_to_first >= 2 AND chaotic_share > chaotic_first END AS has_degraded
FROM compared
ORDER BY storage_group NULLS LAST, week_from
