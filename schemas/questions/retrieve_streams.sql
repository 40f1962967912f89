/*
title = "Simultaneous reads by ENDIT, and tapes that waited"
topic = "tapes"
why = "ENDIT moves files between dCache and TSM, and may be limited to a few drives. The question shows what such a limit costs: how long ENDIT read only one tape while requests for other tapes were ready. It also shows how much data one more drive would have read."
takes = ["first_day", "last_day"]

[params.fill_wait_s]
type = "DOUBLE"
default = "600"
doc = "ENDIT's retriever_reqlistfillwait: a tape's requests are collected until none has been added for this long"

[params.fill_most_s]
type = "DOUBLE"
default = "7200"
doc = "ENDIT's retriever_reqlistfillwaitmax: longest time for which requests for a tape are collected"

[params.remount_delay_s]
type = "DOUBLE"
default = "7200"
doc = "ENDIT's retriever_remountdelay: shortest time between the end of a read of a tape and the next read of the same tape"

[columns]
day = { type = "DATE", doc = "site day" }
system = { type = "VARCHAR", doc = "archive system" }
host = { type = "VARCHAR", doc = "host on which the ENDIT daemons run" }
pool = { type = "VARCHAR", doc = "name of the ENDIT instance, or its host if the instance has no name. Each dCache pool has its own instance and its own limit on the number of workers" }
n_runs = { type = "BIGINT", doc = "number of runs of the retrieve worker that started on the day" }
n_not_done = { type = "BIGINT", doc = "number of runs among n_runs that failed, were stopped, or have no end in the log" }
read_gb = { type = "DOUBLE", unit = "GB", doc = "data read by runs of the retrieve worker that were completed on the day" }
worker_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of one worker, for runs completed on the day: bytes / run time of dsmc (TSM's client). The run time includes mounting and tape motion" }
reading_hours = { type = "DOUBLE", unit = "h", doc = "time in which at least one retrieve worker ran" }
mean_workers = { type = "DOUBLE", unit = "1", doc = "mean number of workers that ran at the same time, over reading_hours" }
most_workers = { type = "BIGINT", doc = "largest number of workers that ran at the same time" }
waiting_hours = { type = "DOUBLE", unit = "h", doc = "hours in which at least one tape waited: its requests were ready, but no worker read the tape. NULL where the log does not record the age of requests" }
most_waiting = { type = "BIGINT", doc = "largest number of tapes that waited at the same time; all files whose tape is not known count as one tape. NULL where waiting_hours is NULL" }
lone_hours = { type = "DOUBLE", unit = "h", doc = "time in which only one worker ran while at least one tape waited; NULL where waiting_hours is NULL" }
lone_share = { type = "DOUBLE", unit = "1", doc = "lone_hours / reading_hours" }
lone_waiting = { type = "DOUBLE", unit = "1", doc = "average number of waiting tapes during lone_hours" }
foregone_gb = { type = "DOUBLE", unit = "GB", doc = "data that one more drive would have read if disks and network had kept up: lone_hours x worker_mb_s. NULL where either is NULL" }
unread_hours = { type = "DOUBLE", unit = "h", doc = "time in which at least one tape waited and no worker ran; NULL where waiting_hours is NULL" }
*/
-- Requests that still wait at the end of the log are not known, nor are withdrawn ones. A wait ends with the start of its run; it starts when requests have gathered and the volume may be mounted again.
WITH bound AS (
    SELECT zone, day_begin($first_day, zone) AS from_at, day_end($last_day, zone) AS to_at
    FROM site.setting
),
run AS (
    SELECT *, lag(until_at) OVER (PARTITION BY system, host, pool, volume ORDER BY began_at, until_at)
                  + to_seconds($remount_delay_s) AS free_at
    FROM silver.endit_run WHERE operation = 'retrieve'
),
asked AS (
    SELECT r.*, CASE WHEN r.oldest_at IS NULL THEN NULL
                     WHEN r.volume = 'default' THEN r.oldest_at
                     ELSE greatest(r.free_at, least(coalesce(r.newest_at, r.oldest_at) + to_seconds($fill_wait_s),
                                                    r.oldest_at + to_seconds($fill_most_s))) END AS ready_at,
           site_day(r.began_at, b.zone) AS began_day,
           site_day(r.ended_at, b.zone) AS ended_day, b.from_at, b.to_at
    FROM run r CROSS JOIN bound b
),
known AS (
    SELECT system, host, pool, bool_or(oldest_at IS NOT NULL) AS has_ages
    FROM asked
    WHERE until_at >= from_at AND least(began_at, coalesce(ready_at, began_at)) < to_at GROUP BY system, host, pool
),
span AS (
    SELECT system, host, pool, greatest(began_at, from_at) AS begin_at, least(until_at, to_at) AS end_at, 1 AS reading, 0 AS waiting
    FROM asked
    UNION ALL
    SELECT system, host, pool, greatest(ready_at, from_at), least(began_at, to_at), 0, 1 FROM asked WHERE ready_at IS NOT NULL
),
step AS (
    SELECT system, host, pool, begin_at AS edge_at, reading, waiting FROM span WHERE begin_at < end_at
    UNION ALL SELECT system, host, pool, end_at, -reading, -waiting FROM span WHERE begin_at < end_at
    UNION ALL
    SELECT k.system, k.host, k.pool, day_begin(unnest(range(
               CAST($first_day AS TIMESTAMP), CAST($last_day AS TIMESTAMP) + INTERVAL 2 DAY, INTERVAL 1 DAY)), b.zone), 0, 0
    FROM known k CROSS JOIN bound b
),
edge AS (
    SELECT system, host, pool, edge_at, sum(reading) AS reading, sum(waiting) AS waiting
    FROM step GROUP BY system, host, pool, edge_at
),
level AS (
    SELECT system, host, pool, edge_at, date_diff('microsecond', edge_at, lead(edge_at) OVER w) AS us,
           sum(reading) OVER w AS reading, sum(waiting) OVER w AS waiting
    FROM edge
    WINDOW w AS (PARTITION BY system, host, pool ORDER BY edge_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
),
summed AS (
    SELECT site_day(l.edge_at, b.zone) AS day, l.system, l.host, l.pool,
           coalesce(sum(us) FILTER (reading > 0), 0) AS reading_us, coalesce(sum(us * reading), 0) AS worker_us,
           max(reading) AS most_workers, coalesce(sum(us) FILTER (waiting > 0), 0) AS waiting_us, max(waiting) AS most_waiting,
           coalesce(sum(us) FILTER (reading = 1 AND waiting > 0), 0) AS lone_us,
           sum(us * waiting) FILTER (reading = 1 AND waiting > 0) AS lone_waiting_us,
           coalesce(sum(us) FILTER (reading = 0 AND waiting > 0), 0) AS unread_us
    FROM level l CROSS JOIN bound b
    WHERE l.us > 0
    GROUP BY ALL
),
begun AS (
    SELECT began_day AS day, system, host, pool, count(*) AS n_runs, count(*) FILTER (outcome <> 'done') AS n_not_done
    FROM asked GROUP BY ALL
),
finished AS (
    SELECT ended_day AS day, system, host, pool, sum(bytes) AS bytes,
           sum(rate_bytes_s * took_s) / nullif(sum(took_s) FILTER (rate_bytes_s IS NOT NULL), 0) / 1e6 AS worker_mb_s
    FROM asked WHERE outcome = 'done' GROUP BY ALL
)
SELECT s.day, s.system, s.host, s.pool, coalesce(g.n_runs, 0) AS n_runs, coalesce(g.n_not_done, 0) AS n_not_done,
       coalesce(CAST(f.bytes AS DOUBLE) / 1e9, 0) AS read_gb, f.worker_mb_s, s.reading_us / 3.6e9 AS reading_hours,
       s.worker_us / nullif(s.reading_us, 0) AS mean_workers, CAST(s.most_workers AS BIGINT) AS most_workers,
       CASE WHEN k.has_ages THEN s.waiting_us / 3.6e9 END AS waiting_hours,
       CASE WHEN k.has_ages THEN CAST(s.most_waiting AS BIGINT) END AS most_waiting,
       CASE WHEN k.has_ages THEN s.lone_us / 3.6e9 END AS lone_hours,
       CASE WHEN k.has_ages THEN s.lone_us / nullif(s.reading_us, 0) END AS lone_share,
       s.lone_waiting_us / nullif(s.lone_us, 0) AS lone_waiting,
       CASE WHEN k.has_ages THEN s.lone_us / 1e6 * f.worker_mb_s / 1e3 END AS foregone_gb,
       CASE WHEN k.has_ages THEN s.unread_us / 3.6e9 END AS unread_hours
FROM summed s
JOIN known k ON k.system = s.system AND k.host = s.host AND k.pool = s.pool
LEFT JOIN begun g ON g.day = s.day AND g.system = s.system AND g.host = s.host AND g.pool = s.pool
LEFT JOIN finished f ON f.day = s.day AND f.system = s.system AND f.host = s.host AND f.pool = s.pool
WHERE s.reading_us > 0 OR s.waiting_us > 0 OR g.n_runs > 0
ORDER BY s.day, s.system, s.host, s.pool
