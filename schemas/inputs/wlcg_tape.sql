/*
title = "WLCG tape metrics by storage group"
why = "Shows the numbers that the Worldwide LHC Computing Grid (WLCG) asks every tape site to publish: the bytes kept on tape, and one day's bytes read, bytes written and mounts."

[params.last_day]
type = "DATE"
doc = "site day; default: the last day with data"

[columns]
storage_group = { type = "VARCHAR", doc = "storage group (owner of the files, e.g. an experiment). Traffic that only ENDIT logged is listed under the name of the ENDIT instance (or its host). ENDIT connects dCache to TSM and logs no storage groups" }
used_bytes = { type = "BIGINT", unit = "bytes", doc = "size of the files kept on tape, without deleted files, rounded to 10^9 bytes; NULL where no list of tapes shows it" }
occupied_bytes = { type = "BIGINT", unit = "bytes", doc = "total capacity of the storage group's tapes that are not blank, rounded to 10^9 bytes; NULL where no list of tapes shows it" }
read_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes read from tape on that day, from logs of drives. On a day without such logs: bytes restored, from records of pools or, if there are none, of ENDIT. NULL where no log shows it" }
write_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes written to tape on that day, from the same kind of log as read_bytes; NULL where no log shows it" }
total_mounts = { type = "BIGINT", doc = "number of mounts that were requested on that day and moved files; NULL without a log of drives" }
unique_mounts = { type = "BIGINT", doc = "number of different tapes in the mounts counted in total_mounts; NULL without a log of drives" }
avg_remounts = { type = "DOUBLE", doc = "total_mounts / unique_mounts, rounded to two decimals: 1 is ideal, 0 means that no tape was mounted; NULL without a log of drives" }
*/
WITH kept AS (
    SELECT storage_group, sum(coalesce(active_bytes, capacity_bytes - remaining_bytes - coalesce(deleted_bytes, 0))) AS used_bytes,
           sum(capacity_bytes) AS occupied_bytes
    FROM silver.volume WHERE storage_group IS NOT NULL AND NOT is_blank GROUP BY storage_group
),
moved AS (
    SELECT storage_group, sum(bytes) FILTER (mode = 'read') AS read_bytes, sum(bytes) FILTER (mode = 'write') AS write_bytes
    FROM gold.tape_traffic WHERE day = $last_day AND storage_group IS NOT NULL
    GROUP BY storage_group
),
per_volume AS (
    SELECT storage_group, system, volume, count(*) AS n_mounts FROM gold.mount
    WHERE site_day = $last_day AND storage_group IS NOT NULL GROUP BY storage_group, system, volume
),
mounted AS (
    SELECT storage_group, sum(n_mounts) AS total_mounts, count(*) AS unique_mounts FROM per_volume GROUP BY storage_group
),
-- a day without a log of the drives may have had traffic: nothing is known about it
day_ledger AS (
    SELECT count(*) FILTER (bucket <> 'unknown') > 0
           AND (count(*) FILTER (bucket = 'occupied') = 0 OR (SELECT count(*) FROM moved) > 0) AS is_known
    FROM gold.drive_ledger WHERE day = $last_day
),
by_pools AS (
    SELECT p.storage_group, sum(p.bytes) FILTER (p.operation = 'restore') AS read_bytes,
           sum(p.bytes) FILTER (p.operation = 'store') AS write_bytes, 1 AS rank
    FROM silver.pool_request p CROSS JOIN site.setting c
    WHERE p.outcome = 'done' AND p.storage_group IS NOT NULL AND near_days(p.day, $last_day - 31, $last_day)
      AND in_days(p.ended_at, $last_day, $last_day, c.zone)
    GROUP BY p.storage_group
    UNION ALL
    SELECT r.pool, sum(r.bytes) FILTER (r.operation = 'retrieve'), sum(r.bytes) FILTER (r.operation = 'archive'), 2
    FROM silver.endit_run r CROSS JOIN site.setting c
    WHERE r.outcome = 'done' AND r.operation <> 'delete' AND in_days(r.ended_at, $last_day, $last_day, c.zone)
    GROUP BY r.pool
),
asked AS (
    SELECT b.storage_group, coalesce(b.read_bytes, 0) AS pool_read_bytes, coalesce(b.write_bytes, 0) AS pool_write_bytes
    FROM by_pools b CROSS JOIN day_ledger t
    WHERE NOT t.is_known QUALIFY b.rank = min(b.rank) OVER ()
)
SELECT storage_group, CAST(round(k.used_bytes, -9) AS BIGINT) AS used_bytes,
       CAST(round(k.occupied_bytes, -9) AS BIGINT) AS occupied_bytes,
       CASE WHEN is_known THEN CAST(coalesce(m.read_bytes, 0) AS BIGINT) ELSE CAST(a.pool_read_bytes AS BIGINT) END AS read_bytes,
       CASE WHEN is_known THEN CAST(coalesce(m.write_bytes, 0) AS BIGINT) ELSE CAST(a.pool_write_bytes AS BIGINT) END AS write_bytes,
       CASE WHEN is_known THEN CAST(coalesce(n.total_mounts, 0) AS BIGINT) END AS total_mounts,
       CASE WHEN is_known THEN coalesce(n.unique_mounts, 0) END AS unique_mounts,
       CASE WHEN is_known THEN coalesce(round(n.total_mounts / n.unique_mounts, 2), 0e0) END AS avg_remounts
FROM kept k FULL JOIN moved m USING (storage_group) FULL JOIN mounted n USING (storage_group)
FULL JOIN asked a USING (storage_group) CROSS JOIN day_ledger
ORDER BY storage_group
