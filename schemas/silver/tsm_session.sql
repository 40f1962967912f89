/*
title = "TSM's sessions"
grain = "one row per session of a client or process of a TSM server that moved data or meant to"
why = "What was archived, retrieved, migrated and reclaimed, how fast, and how long it waited for tapes and clients."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of started_at" }
system = { type = "VARCHAR", doc = "archive system" }
activity = { type = "VARCHAR", doc = "ARCHIVE RETRIEVE BACKUP RESTORE MIGRATION RECLAMATION FULL_DBBACKUP …" }
number = { type = "BIGINT", doc = "number of the session or process" }
entity = { type = "VARCHAR", doc = "node, or storage pool" }
started_at = { type = "TIMESTAMP", doc = "begin" }
ended_at = { type = "TIMESTAMP", doc = "end; NULL where the row was written before" }
took_s = { type = "DOUBLE", unit = "s", doc = "ended_at - started_at" }
bytes = { type = "BIGINT", unit = "bytes", doc = "moved" }
rate_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "bytes / took_s: an overall rate, with all waits in it" }
n_affected = { type = "BIGINT", doc = "objects moved" }
n_failed = { type = "BIGINT", doc = "objects that failed" }
media_wait_s = { type = "BIGINT", unit = "s", doc = "waited for media; of several processes together, so it may exceed took_s" }
idle_s = { type = "BIGINT", unit = "s", doc = "waited for the client" }
network_wait_s = { type = "BIGINT", unit = "s", doc = "waited for the network" }
is_successful = { type = "BOOLEAN", doc = "as the server judged" }
file_id = { type = "VARCHAR", doc = "file of the row taken" }
line_no = { type = "BIGINT", doc = "that line" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "took_s"
min_value = 0
severity = "critical"
*/
SELECT day, system, activity, number, entity, started_at, ended_at, epoch(ended_at - started_at) AS took_s, bytes,
       bytes / nullif(epoch(ended_at - started_at), 0) AS rate_bytes_s, n_affected, n_failed, media_wait_s, idle_s,
       network_wait_s, is_successful, file_id, line_no
FROM bronze.tsm_summary
-- a process has a row for its begin and its end besides the one that says what it moved
WHERE activity NOT IN ('TAPE MOUNT', 'PROCESS_START', 'PROCESS_END')
QUALIFY row_number() OVER (
    PARTITION BY day, system, activity, number, entity, started_at ORDER BY ended_at DESC NULLS LAST, file_id, line_no
) = 1
