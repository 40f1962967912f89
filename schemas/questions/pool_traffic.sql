/*
title = "Traffic of disk pools, from dCache's statistics"
topic = "pools"
why = "Shows how much data each pool moved to and from tape and exchanged with clients, and how much it holds. The numbers are those of dCache's own counters, so they need no billing file."
takes = ["first_day", "last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
pool = { type = "VARCHAR", doc = "disk pool" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment" }
file_family = { type = "VARCHAR", doc = "file family: files that share tapes, e.g. one data set" }
n_stores = { type = "BIGINT", doc = "number of files written from the pool to tape" }
stored_gb = { type = "DOUBLE", unit = "GB", doc = "data written from the pool to tape" }
n_restores = { type = "BIGINT", doc = "number of files read from tape to the pool" }
restored_gb = { type = "DOUBLE", unit = "GB", doc = "data read from tape to the pool" }
client_in_gb = { type = "DOUBLE", unit = "GB", doc = "data received from clients" }
client_out_gb = { type = "DOUBLE", unit = "GB", doc = "data sent to clients" }
n_errors = { type = "BIGINT", doc = "number of errors that dCache counted" }
held_gb = { type = "DOUBLE", unit = "GB", doc = "data of this storage group and file family in the pool, from the newest statistics file of the period that lists them" }
n_files = { type = "BIGINT", doc = "number of files of this storage group and file family in the pool, from the newest statistics file of the period that lists them" }
counted_hours = { type = "DOUBLE", unit = "h", doc = "hours for which the statistics files show what the pool moved" }
reset_hours = { type = "DOUBLE", unit = "h", doc = "length of the intervals in which a counter went down, for example after a restart of the pool; what the pool moved in these intervals is not known and not included" }
*/
WITH counted AS (
    SELECT p.*, date_diff('microsecond', p.from_at, p.to_at) AS us
    FROM silver.pool_hour p CROSS JOIN site.setting c
    WHERE near_days(p.day, $first_day, $last_day) AND in_days(p.to_at, $first_day, $last_day, c.zone)
)
SELECT system, pool, storage_group, file_family, CAST(sum(n_stores) AS BIGINT) AS n_stores,
       CAST(sum(stored_bytes) AS DOUBLE) / 1e9 AS stored_gb, CAST(sum(n_restores) AS BIGINT) AS n_restores,
       CAST(sum(restored_bytes) AS DOUBLE) / 1e9 AS restored_gb,
       CAST(sum(client_in_bytes) AS DOUBLE) / 1e9 AS client_in_gb,
       CAST(sum(client_out_bytes) AS DOUBLE) / 1e9 AS client_out_gb, CAST(sum(n_errors) AS BIGINT) AS n_errors,
       CAST(arg_max(held_bytes, to_at) AS DOUBLE) / 1e9 AS held_gb, arg_max(n_files, to_at) AS n_files,
       coalesce(sum(us) FILTER (NOT is_reset), 0) / 3.6e9 AS counted_hours,
       coalesce(sum(us) FILTER (is_reset), 0) / 3.6e9 AS reset_hours
FROM counted
GROUP BY system, pool, storage_group, file_family
ORDER BY coalesce(sum(stored_bytes), 0) + coalesce(sum(restored_bytes), 0) DESC, system, pool, storage_group NULLS LAST,
         file_family NULLS LAST
