/*
title = "Samples of ENDIT's daemons"
grain = "one row per daemon and instant at which it wrote its statistics"
why = "Exact counts of waiting files, running workers and finished work, for any number of copies of the file and any copy's name."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of sampled_at" }
system = { type = "VARCHAR", doc = "archive system" }
pool = { type = "VARCHAR", doc = "short name of the instance, else its host" }
operation = { type = "VARCHAR", doc = "archive or retrieve" }
sampled_at = { type = "TIMESTAMP", doc = "when the daemon wrote it" }
started_at = { type = "TIMESTAMP", doc = "when the daemon was started" }
done_bytes = { type = "BIGINT", unit = "bytes", doc = "flushed or staged since started_at" }
done_files = { type = "BIGINT", doc = "files flushed or staged since started_at" }
n_retries = { type = "BIGINT", doc = "operations tried again since started_at" }
queued_bytes = { type = "BIGINT", unit = "bytes", doc = "waiting or in progress" }
queued_files = { type = "BIGINT", doc = "files waiting or in progress" }
working_bytes = { type = "BIGINT", unit = "bytes", doc = "part of queued_bytes given to workers" }
working_files = { type = "BIGINT", doc = "files given to workers" }
n_busy = { type = "BIGINT", doc = "running workers" }
n_most = { type = "BIGINT", doc = "limit of workers" }
room_bytes = { type = "BIGINT", unit = "bytes", doc = "retrieve: free space for staged files" }
backoff = { type = "BIGINT", doc = "retrieve: 0 no limit, 1 starts no more workers for lack of space, 2 has stopped them" }
file_id = { type = "VARCHAR", doc = "file of the row taken" }
line_no = { type = "BIGINT", doc = "that line" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "pool", "operation", "sampled_at"]
severity = "critical"
*/
SELECT CAST(sampled_at AS DATE) AS day, system, coalesce(pool, host) AS pool, operation, sampled_at, started_at, done_bytes,
       done_files, n_retries, queued_bytes, queued_files, working_bytes, working_files, n_busy, n_most, room_bytes, backoff,
       file_id, line_no
FROM bronze.endit_stat
QUALIFY row_number() OVER (PARTITION BY system, coalesce(pool, host), operation, sampled_at ORDER BY file_id, line_no) = 1
