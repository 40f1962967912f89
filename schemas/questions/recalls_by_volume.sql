/*
title = "Recalls and avoidable mounts by tape"
topic = "tapes"
why = "Shows how often ENDIT requested files from each tape, and how many mounts could have been saved. The number assumes that one worker (ENDIT's retrieve process) reads all files of a tape that were requested in the period. The tape of a file is the one for which the worker was started or, if there is none, the one in a hint file (ENDIT's list of files and their tapes)."
takes = ["first_day", "last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
volume = { type = "VARCHAR", doc = "tape label. NULL in the first row of each system, which has the sums over all its known tapes" }
n_files = { type = "BIGINT", doc = "number of files that workers requested from the tape; a file counts once for each worker that requested it" }
n_mounts = { type = "BIGINT", doc = "number of workers that requested files from the tape; each counts as one mount of the tape" }
n_alone = { type = "BIGINT", doc = "number of the workers counted in n_mounts whose files were all on this tape" }
n_avoidable_mounts = { type = "BIGINT", was = "n_spared", doc = "number of mounts that could have been saved if one worker had read all files of the tape that were requested in the period" }
spared_share = { type = "DOUBLE", unit = "1", doc = "n_avoidable_mounts / n_mounts" }
files_per_mount = { type = "DOUBLE", unit = "1", doc = "n_files / n_mounts" }
n_unknown = { type = "BIGINT", doc = "number of requested files whose tape is not known from the worker or from a hint file. No other column includes these files. NULL except in the first row of each system" }
*/
WITH asked AS (
    SELECT r.system, r.host, r.pool, r.began_at, r.worker_volume, r.volume, r.n_files,
           count(*) OVER (PARTITION BY r.system, r.host, r.pool, r.began_at, r.worker_volume) AS n_volumes
    FROM silver.endit_recall r CROSS JOIN site.setting c
    WHERE near_days(r.day, $first_day, $last_day)
      AND in_days(r.began_at, $first_day, $last_day, c.zone)
),
by_volume AS (
    SELECT system, volume, CAST(sum(n_files) AS BIGINT) AS n_files, count(*) AS n_mounts,
           count(*) FILTER (n_volumes = 1) AS n_alone, count(*) - 1 AS n_avoidable_mounts
    FROM asked WHERE volume IS NOT NULL GROUP BY system, volume
),
unknown AS (SELECT system, CAST(sum(n_files) AS BIGINT) AS n_files FROM asked WHERE volume IS NULL GROUP BY system),
whole AS (
    SELECT coalesce(v.system, u.system) AS system, coalesce(v.n_files, 0) AS n_files, coalesce(v.n_mounts, 0) AS n_mounts,
           coalesce(v.n_alone, 0) AS n_alone, coalesce(v.n_avoidable_mounts, 0) AS n_avoidable_mounts, coalesce(u.n_files, 0) AS n_unknown
    FROM (
        SELECT system, sum(n_files) AS n_files, sum(n_mounts) AS n_mounts, sum(n_alone) AS n_alone, sum(n_avoidable_mounts) AS n_avoidable_mounts
        FROM by_volume GROUP BY system
    ) v FULL JOIN unknown u ON u.system = v.system
),
listed AS (
    SELECT system, NULL AS volume, n_files, n_mounts, n_alone, n_avoidable_mounts, n_unknown FROM whole
    UNION ALL
    SELECT system, volume, n_files, n_mounts, n_alone, n_avoidable_mounts, NULL FROM by_volume
)
SELECT system, volume, CAST(n_files AS BIGINT) AS n_files, CAST(n_mounts AS BIGINT) AS n_mounts,
       CAST(n_alone AS BIGINT) AS n_alone, CAST(n_avoidable_mounts AS BIGINT) AS n_avoidable_mounts,
       CAST(n_avoidable_mounts AS DOUBLE) / nullif(n_mounts, 0) AS spared_share,
       CAST(n_files AS DOUBLE) / nullif(n_mounts, 0) AS files_per_mount, n_unknown
FROM listed
ORDER BY system, volume IS NOT NULL, n_mounts DESC, n_files DESC, volume
