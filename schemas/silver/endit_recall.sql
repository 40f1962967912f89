/*
title = "Files that ENDIT requested from each volume"
grain = "one row per run of a retrieve worker and per volume that holds some of the run's files"
why = "Some workers are not started for a particular volume. For such a worker, this relation shows which volumes hold its files, from ENDIT's hint file. Each of these volumes costs a mount."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of began_at" }
system = { type = "VARCHAR", doc = "archive system" }
host = { type = "VARCHAR", doc = "host of the ENDIT daemons" }
pool = { type = "VARCHAR", doc = "short name of the ENDIT instance, or its host if it has no name" }
began_at = { type = "TIMESTAMP", doc = "when the worker started" }
worker_volume = { type = "VARCHAR", doc = "volume for which the worker was started; `default` for files whose volume ENDIT did not know" }
volume = { type = "VARCHAR", doc = "volume that holds the files: the worker's volume or, if the worker has none, the volume in the newest hint file that lists the file. NULL where neither is known" }
n_files = { type = "BIGINT", doc = "number of the run's files that are on this volume" }
file_id = { type = "VARCHAR", doc = "log file with the line that lists the worker's files" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "n_files"
min_value = 1
severity = "critical"
*/
WITH hint AS (
    SELECT pnfsid, arg_max(volume, (written_at, file_id, line_no)) AS volume FROM bronze.endit_hint GROUP BY pnfsid
),
given AS (
    SELECT day, system, host, coalesce(pool, host) AS pool, logged_at, volume, pnfsid, min((file_id, line_no)) AS place
    FROM bronze.endit_file
    WHERE operation = 'retrieve'
    GROUP BY day, system, host, coalesce(pool, host), logged_at, volume, pnfsid
)
SELECT g.day, g.system, g.host, g.pool, g.logged_at AS began_at, g.volume AS worker_volume,
       CASE WHEN g.volume = 'default' THEN h.volume ELSE g.volume END AS volume, count(*) AS n_files,
       min(g.place)[1] AS file_id, min(g.place)[2] AS line_no
FROM given g LEFT JOIN hint h ON h.pnfsid = g.pnfsid
GROUP BY g.day, g.system, g.host, g.pool, g.logged_at, g.volume,
         CASE WHEN g.volume = 'default' THEN h.volume ELSE g.volume END
