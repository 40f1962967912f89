/*
title = "Data in the archive"
why = "Shows how much data is on tape, for comparison with a plan: the data in the newest list of tapes plus the data written since. Such a list is an export of Enstore's volume table, or the output of CTA's `tape ls`. Without a list, only logged writes count."
takes = ["last_day", "group"]

[params.family]
type = "VARCHAR"
default = ""
doc = "one file family; default: all"

[columns]
n_volumes = { type = "BIGINT", doc = "number of tapes in the list of tapes" }
listed_gb = { type = "DOUBLE", unit = "GB", doc = "data on the tapes counted in n_volumes, without deleted files. If the list does not show this amount: capacity - free space - deleted data" }
listed_at = { type = "TIMESTAMP", doc = "latest recorded_at in silver.volume: the last change or use of a tape, or the time of CTA's `tape ls`. NULL if an archive system with logged writes has no list, because its tapes may hold data that no log shows" }
written_gb = { type = "DOUBLE", unit = "GB", doc = "data written after the list was made, up to the end of last_day. For a tape in the list: writes after the tape's recorded_at. Without a list: all logged writes. Writes after last_day that the list includes are subtracted" }
held_gb = { type = "DOUBLE", unit = "GB", doc = "listed_gb + written_gb" }
*/
WITH listed AS (
    SELECT system, volume, storage_group, file_family, recorded_at,
           coalesce(active_bytes, capacity_bytes - remaining_bytes - coalesce(deleted_bytes, 0)) AS bytes
    FROM silver.volume
),
export AS (
    SELECT system, max(recorded_at) AS listed_at FROM silver.volume GROUP BY system
),
of_group AS (
    SELECT count(*) AS n_volumes, coalesce(sum(bytes), 0) AS bytes
    FROM listed WHERE $group IN ('', storage_group) AND $family IN ('', file_family)
),
bound AS (
    SELECT day_end($last_day, s.zone) AS end_at FROM site.setting s
),
written AS (
    SELECT coalesce(sum(CASE WHEN t.started_at < b.end_at
                                  AND (e.listed_at IS NULL OR t.started_at > coalesce(l.recorded_at, e.listed_at))
                             THEN t.bytes
                             WHEN t.started_at >= b.end_at AND t.started_at <= l.recorded_at THEN -t.bytes END), 0)
               AS bytes,
           bool_and(e.listed_at IS NOT NULL) AS is_listed
    FROM silver.transfer t CROSS JOIN bound b
    LEFT JOIN export e ON e.system = t.system
    LEFT JOIN listed l ON l.system = t.system AND l.volume = t.volume
    WHERE t.mode = 'write' AND t.status = 'ok' AND $group IN ('', coalesce(t.storage_group, l.storage_group))
      AND $family IN ('', coalesce(t.file_family, l.file_family))
)
SELECT g.n_volumes, CAST(g.bytes AS DOUBLE) / 1e9 AS listed_gb,
       CASE WHEN w.is_listed IS NOT FALSE THEN (SELECT max(listed_at) FROM export) END AS listed_at,
       CAST(w.bytes AS DOUBLE) / 1e9 AS written_gb, CAST(g.bytes + w.bytes AS DOUBLE) / 1e9 AS held_gb
FROM of_group g CROSS JOIN written w
