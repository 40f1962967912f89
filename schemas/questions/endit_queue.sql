/*
title = "Queues and workers of ENDIT"
topic = "requests"
why = "ENDIT moves files between dCache and TSM. This shows how much data waited for tape at each pool, whether ENDIT would have used more drives, and how often its daemons paused for lack of disk space."
takes = ["first_day", "last_day"]

[columns]
day = { type = "DATE", doc = "site day" }
system = { type = "VARCHAR", doc = "archive system" }
pool = { type = "VARCHAR", doc = "name of the ENDIT instance, or its host if the instance has no name; each dCache pool has its own instance" }
operation = { type = "VARCHAR", doc = "archive (to tape) or retrieve (from tape)" }
n_samples = { type = "BIGINT", doc = "number of samples in the daemon's statistics on that day" }
done_gb = { type = "DOUBLE", unit = "GB", doc = "data written to or read from tape on that day, according to the daemon's counter. Work before the day's first sample counts only if the daemon started on that day, or if there is a sample of the day before" }
done_files = { type = "BIGINT", doc = "number of files written to or read from tape on that day, according to the daemon's counter; counted like done_gb" }
n_retries = { type = "BIGINT", doc = "number of operations that were repeated after a failure on that day, according to the daemon's counter; counted like done_gb" }
avg_queued_gb = { type = "DOUBLE", unit = "GB", doc = "data that waited or was in progress at one time: mean over the samples of the day" }
max_queued_gb = { type = "DOUBLE", unit = "GB", doc = "largest amount of data that waited or was in progress in any sample of the day" }
max_queued_files = { type = "BIGINT", doc = "largest number of files that waited or were in progress in any sample of the day" }
avg_workers = { type = "DOUBLE", unit = "1", doc = "number of workers (processes of TSM's client) that ran at once: mean over the samples of the day" }
max_workers = { type = "BIGINT", doc = "largest number of workers that ran at once in any sample of the day" }
worker_limit = { type = "BIGINT", doc = "maximum number of workers that the daemon may run at once" }
full_share = { type = "DOUBLE", unit = "1", doc = "share of samples in which the maximum number of workers ran and further files waited: ENDIT would have used more drives" }
backoff_share = { type = "DOUBLE", unit = "1", doc = "share of samples in which a lack of disk space prevented the start of more workers; NULL for the operation archive" }
*/
WITH sample AS (
    SELECT e.*, site_day(e.sampled_at, c.zone) AS on_day, site_day(e.started_at, c.zone) AS start_day,
           lag(e.sampled_at) OVER runs IS NULL AS is_first, lag(e.done_bytes) OVER runs AS before_bytes,
           lag(e.done_files) OVER runs AS before_files, lag(e.n_retries) OVER runs AS before_retries,
           lag(e.sampled_at) OVER runs AS before_at, c.zone
    FROM silver.endit_sample e CROSS JOIN site.setting c
    WHERE near_days(e.day, $first_day - 1, $last_day + 1)
    WINDOW runs AS (PARTITION BY e.system, e.pool, e.operation, e.started_at ORDER BY e.sampled_at)
),
grown AS (
    -- from the sample before, or from the daemon's start where that was on the day
    SELECT *, CASE WHEN is_first AND start_day = on_day THEN done_bytes ELSE done_bytes - before_bytes END AS more_bytes,
           CASE WHEN is_first AND start_day = on_day THEN done_files ELSE done_files - before_files END AS more_files,
           CASE WHEN is_first AND start_day = on_day THEN n_retries ELSE n_retries - before_retries END AS more_retries
    FROM sample
)
SELECT on_day AS day, system, pool, operation, count(*) AS n_samples, sum(greatest(more_bytes, 0)) / 1e9 AS done_gb,
       CAST(sum(greatest(more_files, 0)) AS BIGINT) AS done_files, CAST(sum(greatest(more_retries, 0)) AS BIGINT) AS n_retries,
       avg(queued_bytes) / 1e9 AS avg_queued_gb, max(queued_bytes) / 1e9 AS max_queued_gb, max(queued_files) AS max_queued_files,
       avg(n_busy) AS avg_workers, max(n_busy) AS max_workers, max(n_most) AS worker_limit,
       count(*) FILTER (n_busy >= n_most AND queued_files > working_files) / count(*) AS full_share,
       CASE operation WHEN 'retrieve' THEN count(*) FILTER (backoff > 0) / count(*) END AS backoff_share
FROM grown
WHERE on_day BETWEEN $first_day AND $last_day
GROUP BY on_day, system, pool, operation
ORDER BY day, system, pool, operation
