/*
title = "From organised to chaotic, week by week"
topic = "mounts"
why = "A cache that is flushed too often, or users who go past it, turn a few long reads into many short ones: files a mount fall and drive-hours a terabyte rise, weeks before anybody complains."
takes = ["last_day", "group"]

[params.n_weeks]
type = "BIGINT"
default = "6"
doc = "weeks that end with the last day"

[columns]
storage_group = { type = "VARCHAR", doc = "storage group of most of a mount's bytes; NULL where no log tells it" }
week_from = { type = "DATE", doc = "first site day of the seven" }
n_mounts = { type = "BIGINT", doc = "mounts that read, logged whole" }
n_volumes = { type = "BIGINT", doc = "tapes these were of" }
files_a_mount = { type = "DOUBLE", doc = "files moved / mounts" }
chaotic_share = { type = "DOUBLE", unit = "1", doc = "share of the mounts with one file, or with files far apart and in no order (patterns single, sparse, random)" }
remounts = { type = "DOUBLE", unit = "1", doc = "mounts of a tape, on average" }
hours_tb = { type = "DOUBLE", unit = "h/TB", doc = "drive-hours, request to dismounted, for each TB" }
of_first = { type = "DOUBLE", unit = "1", doc = "hours_tb / that of the first of these weeks with 10 mounts; NULL in weeks with fewer" }
is_slide = { type = "BOOLEAN", doc = "at least twice the drive-hours a TB of that week, and a larger share of chaotic mounts: organised reading has become chaotic. NULL where of_first is" }
*/
WITH mount AS (
    SELECT storage_group, system, volume, n_files, volume_gb, wall_s, pattern,
           CAST($last_day - CAST(7 * (($last_day - site_day) // 7) + 6 AS INTEGER) AS DATE) AS week_from
    FROM gold.mount
    WHERE site_day BETWEEN $last_day - CAST(7 * $n_weeks - 1 AS INTEGER) AND $last_day
      AND mode = 'read' AND wall_s IS NOT NULL AND volume_gb > 0 AND $group IN ('', storage_group)
),
weekly AS (
    SELECT storage_group, week_from, count(*) AS n_mounts, count(DISTINCT (system, volume)) AS n_volumes,
           sum(n_files) / count(*) AS files_a_mount,
           count(*) FILTER (pattern IN ('single', 'sparse', 'random')) / count(*) AS chaotic_share,
           count(*) / count(DISTINCT (system, volume)) AS remounts, (sum(wall_s) / 3600) / (sum(volume_gb) / 1e3) AS hours_tb
    FROM mount GROUP BY storage_group, week_from
),
compared AS (
    SELECT *, CASE WHEN n_mounts >= 10 THEN hours_tb / arg_min(hours_tb, week_from) FILTER (n_mounts >= 10) OVER alike END
               AS of_first,
           arg_min(chaotic_share, week_from) FILTER (n_mounts >= 10) OVER alike AS chaotic_first
    FROM weekly WINDOW alike AS (PARTITION BY storage_group)
)
SELECT storage_group, week_from, n_mounts, n_volumes, files_a_mount, chaotic_share, remounts, hours_tb, of_first,
       CASE WHEN of_first IS NOT NULL THEN of_first >= 2 AND chaotic_share > chaotic_first END AS is_slide
FROM compared
ORDER BY storage_group NULLS LAST, week_from
