/*
title = "Files restored from tape repeatedly"
topic = "pools"
why = "A file that is restored twice within a few days may cost an extra mount. A larger disk cache could avoid this mount. If two pools restore the same file, a single restore for both could avoid it too."
takes = ["first_day", "last_day"]

[params.days]
type = "BIGINT"
default = "7"
doc = "a restore counts as repeated if the previous completed restore of the file was requested at most this many days (of 24 hours) earlier"

[columns]
system = { type = "VARCHAR", doc = "archive system" }
pnfsid = { type = "VARCHAR", doc = "dCache's id of the file" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment" }
file_family = { type = "VARCHAR", doc = "file family: files that share tapes, e.g. one data set" }
n_repeats = { type = "BIGINT", was = "n_again", doc = "number of repeated restores that were requested in the period and completed" }
again_gb = { type = "DOUBLE", unit = "GB", doc = "data in the repeated restores" }
n_pools = { type = "BIGINT", doc = "number of different pools that requested the repeated restores and the restores directly before them" }
shortest_s = { type = "DOUBLE", unit = "s", doc = "shortest time from the request for one restore of the file to the request for the next" }
last_at = { type = "TIMESTAMP", doc = "time of the request for the last repeated restore, UTC" }
*/
WITH paired AS (
    -- earlier restores are too long ago to count
    SELECT system, pnfsid, storage_group, file_family, bytes, pool, created_at, lag(created_at) OVER fetched AS before_at,
           lag(pool) OVER fetched AS before_pool
    FROM silver.pool_request
    WHERE operation = 'restore' AND outcome = 'done'
      AND near_days(day, $first_day - CAST(ceil(CAST($days AS DOUBLE)) AS INTEGER), $last_day)
    WINDOW fetched AS (PARTITION BY system, pnfsid ORDER BY created_at, pool)
),
again AS (
    SELECT p.*, date_diff('microsecond', p.before_at, p.created_at) / 1e6 AS apart_s
    FROM paired p CROSS JOIN site.setting c
    WHERE p.before_at IS NOT NULL
      AND in_days(p.created_at, $first_day, $last_day, c.zone)
      AND date_diff('microsecond', p.before_at, p.created_at) / 1e6 <= $days * 86400
)
SELECT system, pnfsid, max(storage_group) AS storage_group, max(file_family) AS file_family, count(*) AS n_repeats,
       CAST(sum(bytes) AS DOUBLE) / 1e9 AS again_gb,
       CAST(len(list_distinct(list(pool) || list(before_pool))) AS BIGINT) AS n_pools,
       min(apart_s) AS shortest_s, max(created_at) AS last_at
FROM again
GROUP BY system, pnfsid
ORDER BY again_gb DESC, n_repeats DESC, system, pnfsid
