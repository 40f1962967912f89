/*
title = "What waits in the queues"
topic = "requests"
why = "How deep and how old the queues got, by virtual organisation, including requests never served. Overdue files wait for drives; the others wait by choice of their mount policy."
takes = ["first_day", "last_day", "group"]

[columns]
storage_group = { type = "VARCHAR", doc = "storage group or virtual organisation" }
mode = { type = "VARCHAR", doc = "read or write" }
n_polls = { type = "BIGINT", doc = "number of polls" }
max_files = { type = "BIGINT", doc = "most files that waited at once" }
max_gb = { type = "DOUBLE", unit = "GB", doc = "most bytes that waited at once" }
max_age_s = { type = "DOUBLE", unit = "s", doc = "longest wait of the oldest file" }
max_overdue_s = { type = "DOUBLE", unit = "s", doc = "longest time waited after a mount policy was met" }
overdue_share = { type = "DOUBLE", doc = "share of the polls at which some file was overdue, 0 to 1" }
overdue_idle_share = { type = "DOUBLE", doc = "share of the polls at which some file was overdue and no drive served its queue" }
*/
WITH polled AS (
    SELECT q.* FROM silver.queue_sample q CROSS JOIN site.setting c
    WHERE near_days(q.day, $first_day, $last_day) AND in_days(q.polled_at, $first_day, $last_day, c.zone)
      AND q.purpose = 'user'
),
asked AS (
    SELECT count(DISTINCT (system, polled_at)) AS n_polls FROM polled
),
instant AS (
    SELECT storage_group, mode, system, polled_at, sum(n_files) AS n_files, sum(bytes) AS bytes,
           max(oldest_age_s) AS age_s, max(overdue_s) AS overdue_s,
           coalesce(bool_or(overdue_s > 0 AND coalesce(n_mounts, 0) = 0), FALSE) AS is_left
    FROM polled WHERE $group IN ('', storage_group)
    GROUP BY storage_group, mode, system, polled_at
)
SELECT i.storage_group, i.mode, a.n_polls, CAST(max(i.n_files) AS BIGINT) AS max_files, max(i.bytes) / 1e9 AS max_gb,
       max(i.age_s) AS max_age_s, max(i.overdue_s) AS max_overdue_s,
       count(*) FILTER (i.overdue_s > 0) / a.n_polls AS overdue_share,
       count(*) FILTER (i.is_left) / a.n_polls AS overdue_idle_share
FROM instant i CROSS JOIN asked a
GROUP BY i.storage_group, i.mode, a.n_polls
ORDER BY max_overdue_s DESC NULLS LAST, i.storage_group, i.mode
