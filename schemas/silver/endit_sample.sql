/*
title = "Samples of the statistics of ENDIT's daemons"
grain = "one row per daemon and instant at which it wrote its statistics"
why = "Holds exact counts of waiting files, running workers and finished work. Each sample counts once, even if several copies of the statistics file exist."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of sampled_at" }
system = { type = "VARCHAR", doc = "archive system" }
pool = { type = "VARCHAR", doc = "short name of the ENDIT instance, or its host if it has no name" }
operation = { type = "VARCHAR", doc = "archive or retrieve" }
sampled_at = { type = "TIMESTAMP", doc = "when the daemon wrote the statistics" }
started_at = { type = "TIMESTAMP", doc = "when the daemon that wrote the statistics was started" }
done_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes archived to tape or retrieved from tape since started_at" }
done_files = { type = "BIGINT", doc = "number of files archived to tape or retrieved from tape since started_at" }
n_retries = { type = "BIGINT", doc = "number of operations that were repeated after a failure since started_at" }
queued_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes of the files that wait or are in progress" }
queued_files = { type = "BIGINT", doc = "number of files that wait or are in progress" }
working_bytes = { type = "BIGINT", unit = "bytes", doc = "part of queued_bytes: bytes of the files that workers are archiving or retrieving" }
working_files = { type = "BIGINT", doc = "part of queued_files: number of files that workers are archiving or retrieving" }
n_busy = { type = "BIGINT", doc = "number of running workers" }
n_most = { type = "BIGINT", doc = "largest number of workers that the daemon may run" }
room_bytes = { type = "BIGINT", unit = "bytes", doc = "for retrieves: free disk space for files from tape" }
backoff = { type = "BIGINT", doc = "limit on retrieves because disk space is short. 0: no limit. 1: no further workers start. 2: the running workers were stopped as well. NULL for archives" }
file_id = { type = "VARCHAR", doc = "log file with the copy of the sample that was used" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

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
