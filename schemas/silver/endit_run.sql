/*
title = "Runs of ENDIT's workers"
grain = "one row per run of TSM's client dsmc that ENDIT started: a retrieve, an archive or a delete"
why = "Shows how long and how fast ENDIT read each volume for dCache's pools. It also shows how long the requests had waited, and what failed."
lineage = ["file_id", "line_no"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
host = { type = "VARCHAR", doc = "host of the ENDIT daemons" }
pool = { type = "VARCHAR", doc = "short name of the ENDIT instance, or its host if it has no name" }
operation = { type = "VARCHAR", doc = "retrieve (from tape), archive (to tape) or delete" }
volume = { type = "VARCHAR", doc = "label of the volume that a retrieve reads; `default` for files that ENDIT assigned to no volume. NULL for archives and deletes, and where no line names a volume" }
worker_pid = { type = "BIGINT", doc = "process id of the worker; NULL where no line has it" }
oldest_at = { type = "TIMESTAMP", doc = "when the oldest request that a retrieve serves arrived" }
newest_at = { type = "TIMESTAMP", doc = "when the newest request that a retrieve serves arrived" }
began_at = { type = "TIMESTAMP", doc = "when the run started. If this was not logged: ended_at minus the duration, or ended_at if the duration is not known" }
ended_at = { type = "TIMESTAMP", doc = "when the run was done, failed or was stopped; NULL where no line shows the end of the run" }
until_at = { type = "TIMESTAMP", doc = "when the run ended. If this was not logged, the latest possible end. This is the earliest of three times: start of the next run of the same volume or worker, next start of the daemon, last message about any run of this pool and operation" }
n_files = { type = "BIGINT", doc = "number of files requested" }
n_done = { type = "BIGINT", doc = "number of files that the run completed. If outcome is done: all files of the run. If outcome is partial: the number in the message about the partly failed delete. Otherwise NULL" }
bytes = { type = "BIGINT", unit = "bytes", doc = "total size of the files that the run was to process; for a retrieve, only files whose size ENDIT knew. It is not exact: the log gives it in GiB with two or three decimals" }
took_s = { type = "DOUBLE", unit = "s", doc = "duration of dsmc as ENDIT logged it. If ENDIT did not log it: ended_at - began_at" }
rate_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "average rate of the run as ENDIT logged it. If ENDIT did not log it: bytes ÷ (ended_at - began_at). NULL unless outcome is done" }
outcome = { type = "VARCHAR", doc = "done, partial (a delete that failed for some files), failed, stopped (by a signal), or unknown if no line shows the end" }
error = { type = "VARCHAR", doc = "result code that dsmc returned, or the signal that stopped the run" }
file_id = { type = "VARCHAR", doc = "log file with the first line of the run" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectColumnValuesToBeInSet"
column = "outcome"
value_set = ["done", "partial", "failed", "stopped", "unknown"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "took_s"
min_value = 0
severity = "critical"
*/
WITH held AS (
    SELECT *, count(*) OVER (PARTITION BY file_id) AS n_held,
           min(logged_at) OVER (PARTITION BY file_id) AS first_at, max(logged_at) OVER (PARTITION BY file_id) AS last_at
    FROM bronze.endit_event
),
once AS (
    -- a line in two files, such as a log and its copy, counts once; the larger file gives the order
    SELECT *
    FROM held
    QUALIFY row_number() OVER (
        PARTITION BY system, host, pool, logged_at, daemon_pid, worker_pid, operation, step, volume, n_files, bytes
        ORDER BY n_held DESC, file_id, line_no
    ) = 1
),
ordered AS (
    -- if a log is cut within a second, the part that starts or ends first comes first
    SELECT * REPLACE (coalesce(pool, host) AS pool),
           row_number() OVER (PARTITION BY system, host, coalesce(pool, host)
                              ORDER BY logged_at, first_at, last_at, file_id, line_no) AS place
    FROM once
),
named AS (
    -- only a worker's pid shows what was stopped, and for old failures which volume
    SELECT * REPLACE (
               CASE WHEN worker_pid IS NULL THEN operation ELSE last_value(operation IGNORE NULLS) OVER w END AS operation,
               CASE WHEN worker_pid IS NULL OR volume IS NOT NULL THEN volume
                    WHEN coalesce(operation, 'retrieve') = 'retrieve' THEN last_value(volume IGNORE NULLS) OVER w
                    END AS volume)
    FROM ordered
    WHERE step <> 'daemon'
    WINDOW w AS (PARTITION BY system, host, pool, worker_pid ORDER BY place)
),
keyed AS (
    -- ENDIT reads no volume twice at once; other workers are known by their pids
    SELECT *, CASE WHEN operation = 'retrieve' AND volume IS NOT NULL THEN 'volume ' || volume
                   ELSE 'worker ' || coalesce(CAST(worker_pid AS VARCHAR), '') END AS worker
    FROM named
    WHERE operation IS NOT NULL
),
stepped AS (
    SELECT *, lag(step) OVER w AS step_before, lag(step, 2) OVER w AS step_before_that, lag(logged_at) OVER w AS before_at
    FROM keyed
    WINDOW w AS (PARTITION BY system, host, pool, operation, worker ORDER BY place)
),
marked AS (
    SELECT *, CASE step
            -- a child may log before the daemon logs that it runs
            WHEN 'begin' THEN NOT coalesce(step_before = 'try' AND logged_at <= before_at + INTERVAL 2 SECOND
                                           AND step_before_that IS DISTINCT FROM 'begin', FALSE)
            WHEN 'try' THEN step_before IS DISTINCT FROM 'begin'
            WHEN 'partial' THEN coalesce(step_before NOT IN ('begin', 'try', 'failed'), TRUE)
            ELSE coalesce(step_before NOT IN ('begin', 'try'), TRUE) END AS is_new
    FROM stepped
),
numbered AS (
    SELECT *, count(*) FILTER (is_new) OVER (
               PARTITION BY system, host, pool, operation, worker ORDER BY place) AS run
    FROM marked
),
run AS (
    SELECT system, host, pool, operation, worker, run, min(volume) AS volume, max(worker_pid) AS worker_pid,
           min(oldest_at) AS oldest_at, max(newest_at) AS newest_at,
           -- the line that lists the files: silver.endit_recall has its time
           coalesce(min(logged_at) FILTER (step = 'begin'), min(logged_at) FILTER (step = 'try')) AS logged_begin_at,
           max(logged_at) FILTER (step NOT IN ('begin', 'try')) AS ended_at,
           coalesce(max(n_files) FILTER (step = 'begin'), max(n_files)) AS n_files, max(n_done) AS n_partial,
           coalesce(max(bytes) FILTER (step = 'begin'), max(bytes)) AS bytes,
           max(took_s) AS printed_s, max(rate_bytes_s) AS printed_bytes_s,
           CASE max(CASE step WHEN 'done' THEN 4 WHEN 'partial' THEN 3 WHEN 'failed' THEN 2 WHEN 'stopped' THEN 1 END)
               WHEN 4 THEN 'done' WHEN 3 THEN 'partial' WHEN 2 THEN 'failed' WHEN 1 THEN 'stopped' ELSE 'unknown'
               END AS outcome,
           min(error) AS error, arg_min(file_id, place) AS file_id,
           arg_min(line_no, place) AS line_no
    FROM numbered
    GROUP BY system, host, pool, operation, worker, run
    HAVING NOT bool_and(step = 'stopped')  -- one that had failed and was waiting to exit
),
placed AS (
    SELECT *, coalesce(logged_begin_at, ended_at - INTERVAL 1 SECOND * coalesce(printed_s, 0)) AS began_at,
           lead(logged_begin_at) OVER (PARTITION BY system, host, pool, operation, worker ORDER BY run) AS again_at,
           max(coalesce(ended_at, logged_begin_at)) OVER (PARTITION BY system, host, pool, operation) AS last_at
    FROM run
),
restarted AS (SELECT system, host, pool, operation, logged_at FROM ordered WHERE step = 'daemon')
SELECT p.system, p.host, p.pool, p.operation, p.volume, p.worker_pid, p.oldest_at, p.newest_at, p.began_at, p.ended_at,
       coalesce(p.ended_at, least(p.again_at, d.logged_at, p.last_at)) AS until_at, p.n_files,
       CASE p.outcome WHEN 'done' THEN p.n_files WHEN 'partial' THEN p.n_partial END AS n_done, p.bytes,
       coalesce(p.printed_s, epoch(p.ended_at - p.began_at)) AS took_s,
       CASE WHEN p.outcome = 'done'
            THEN coalesce(p.printed_bytes_s, p.bytes / nullif(epoch(p.ended_at - p.began_at), 0)) END AS rate_bytes_s,
       p.outcome, p.error, p.file_id, p.line_no
FROM placed p
ASOF LEFT JOIN restarted d ON d.system = p.system AND d.host = p.host AND d.pool = p.pool
    AND d.operation = p.operation AND d.logged_at > p.began_at
