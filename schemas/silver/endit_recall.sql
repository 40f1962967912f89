/*
title = "Files requested per volume"
grain = "one row per retrieve worker and volume that holds some of its files"
why = "The volumes that a worker without hints really read. The hint file lists the volumes of its files, and each costs a mount."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of began_at" }
system = { type = "VARCHAR", doc = "archive system" }
host = { type = "VARCHAR", doc = "host of the daemons" }
pool = { type = "VARCHAR", doc = "short name of the instance, else its host" }
began_at = { type = "TIMESTAMP", doc = "when the worker began" }
worker_volume = { type = "VARCHAR", doc = "volume of the worker; `default` if it was not known" }
volume = { type = "VARCHAR", doc = "volume of these files: the worker's, or the one in the newest hint file; NULL where neither has them" }
n_files = { type = "BIGINT", doc = "files on it assigned to the worker" }
file_id = { type = "VARCHAR", doc = "file of the line that lists them" }
line_no = { type = "BIGINT", doc = "that line" }

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
