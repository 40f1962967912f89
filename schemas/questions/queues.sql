/*
title = "Requests that wait in the queues"
topic = "requests"
why = "Shows how many requests of each virtual organisation waited, and for how long, including requests that were never served. Writes of CTA's repack (copying files to other tapes) are left out. CTA's mount policy sets the age at which a file's tape may be mounted. Files that wait beyond this age are overdue: they wait for drives. Other files wait for the policy."
takes = ["first_day", "last_day", "group"]

[columns]
storage_group = { type = "VARCHAR", doc = "virtual organisation that owns the files, e.g. an experiment" }
mode = { type = "VARCHAR", doc = "read or write" }
n_polls = { type = "BIGINT", doc = "number of polls of the queues. All polls of an archive system count if files of this virtual organisation and mode waited there in at least one of them" }
max_files = { type = "BIGINT", doc = "largest number of files that waited at the same time in one archive system" }
max_gb = { type = "DOUBLE", unit = "GB", doc = "largest amount of data that waited at the same time in one archive system" }
max_age_s = { type = "DOUBLE", unit = "s", doc = "longest time that any file had waited when the queues were polled" }
max_overdue_s = { type = "DOUBLE", unit = "s", doc = "longest time for which a file still waited after its mount policy had allowed a mount" }
overdue_share = { type = "DOUBLE", doc = "share of the polls, from 0 to 1, in which at least one file was overdue. A file is overdue if it still waits although its mount policy allows a mount. NULL where no poll shows the age that the policy requires" }
overdue_idle_share = { type = "DOUBLE", doc = "share of the polls, from 0 to 1, in which at least one queue had an overdue file and no drive served that queue. NULL where no poll shows the age that the policy requires" }
*/
WITH polled AS (
    SELECT q.* FROM silver.queue_sample q CROSS JOIN site.setting c
    WHERE near_days(q.day, $first_day, $last_day) AND in_days(q.polled_at, $first_day, $last_day, c.zone)
      AND q.purpose = 'user'
),
asked AS (
    SELECT system, count(DISTINCT polled_at) AS n_polls FROM polled GROUP BY system
),
instant AS (
    SELECT storage_group, mode, system, polled_at, sum(n_files) AS n_files, sum(bytes) AS bytes,
           max(oldest_age_s) AS age_s, max(overdue_s) AS overdue_s,
           coalesce(bool_or(overdue_s > 0 AND coalesce(n_mounts, 0) = 0), FALSE) AS is_left
    FROM polled WHERE $group IN ('', storage_group)
    GROUP BY storage_group, mode, system, polled_at
),
of_system AS (
    SELECT storage_group, mode, system, max(n_files) AS n_files, max(bytes) AS bytes, max(age_s) AS age_s,
           max(overdue_s) AS overdue_s, count(*) FILTER (overdue_s > 0) AS n_overdue, count(*) FILTER (is_left) AS n_left
    FROM instant GROUP BY storage_group, mode, system
)
SELECT i.storage_group, i.mode, CAST(sum(a.n_polls) AS BIGINT) AS n_polls, CAST(max(i.n_files) AS BIGINT) AS max_files,
       max(i.bytes) / 1e9 AS max_gb, max(i.age_s) AS max_age_s, max(i.overdue_s) AS max_overdue_s,
       CASE WHEN max(i.overdue_s) IS NOT NULL THEN sum(i.n_overdue) / sum(a.n_polls) END AS overdue_share,
       CASE WHEN max(i.overdue_s) IS NOT NULL THEN sum(i.n_left) / sum(a.n_polls) END AS overdue_idle_share
FROM of_system i JOIN asked a ON a.system = i.system
GROUP BY i.storage_group, i.mode
ORDER BY max_overdue_s DESC NULLS LAST, i.storage_group, i.mode
