/*
title = "Sessions and processes of TSM"
grain = "one row per server process of TSM, and per client session and activity (such as archive or retrieve). Rows of SUMMARY about a mount, or about the start or end of a process, are left out"
why = "Shows how much data TSM archived, retrieved, migrated and reclaimed, how fast, and how long TSM waited for tapes and clients. The source is TSM's table SUMMARY. Sessions that are missing in SUMMARY come from the accounting file; missing processes come from the activity log."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of started_at" }
system = { type = "VARCHAR", doc = "archive system" }
activity = { type = "VARCHAR", doc = "name that TSM gives the activity, such as ARCHIVE, RETRIEVE, BACKUP, RESTORE, MIGRATION, RECLAMATION or FULL_DBBACKUP" }
task = { type = "VARCHAR", doc = "session (of a client) or process (of the server)" }
number = { type = "BIGINT", doc = "number of the session or process; NULL for a session in the accounting file whose end is not in any activity log" }
entity = { type = "VARCHAR", doc = "name of the TSM node (registered client) for a session, or of the storage pool for a process. NULL for a process that only the activity log shows" }
client_host = { type = "VARCHAR", doc = "host of the client, without its domain; NULL where SUMMARY does not show it" }
started_at = { type = "TIMESTAMP", doc = "start" }
ended_at = { type = "TIMESTAMP", doc = "end of the session or process; NULL where TSM wrote the row before that" }
took_s = { type = "DOUBLE", unit = "s", doc = "ended_at - started_at" }
bytes = { type = "BIGINT", unit = "bytes", doc = "bytes moved" }
rate_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "bytes / took_s, where took_s includes all waits" }
n_affected = { type = "BIGINT", doc = "number of objects that the session or process moved, copied or deleted" }
n_failed = { type = "BIGINT", doc = "number of objects that failed" }
n_processes = { type = "BIGINT", doc = "number of parallel processes" }
media_wait_s = { type = "BIGINT", unit = "s", doc = "time for which the server waited for a mount, for positioning or for a busy volume. It may exceed took_s, because the waits of several processes are added up" }
idle_s = { type = "BIGINT", unit = "s", doc = "time for which the server waited for the client" }
network_wait_s = { type = "BIGINT", unit = "s", doc = "time for which the server waited for the network" }
is_successful = { type = "BOOLEAN", doc = "true if the server reported success of the session or process; for a session from the accounting file, true if it ended normally. NULL for a process that only the activity log shows" }
file_id = { type = "VARCHAR", doc = "log file with the row or line from which this row was made" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "took_s"
min_value = 0
severity = "critical"
*/
WITH message AS (
    SELECT * FROM bronze.tsm_actlog WHERE number IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY system, kind, task, number, volume, logged_at ORDER BY file_id, line_no) = 1
),
done AS (
    SELECT system, task, number, logged_at FROM message WHERE kind IN ('ended', 'processed')
),
one_row AS (
    SELECT *, CASE WHEN activity IN ('ARCHIVE', 'RETRIEVE', 'BACKUP', 'RESTORE') THEN 'session' ELSE 'process' END AS task,
           regexp_replace(address, ':[0-9]*$', '') AS client
    FROM bronze.tsm_summary
    -- a process has a row for its start and one for its end, in addition to the one with the data it moved
    WHERE activity NOT IN ('TAPE MOUNT', 'PROCESS_START', 'PROCESS_END')
    QUALIFY row_number() OVER (
        PARTITION BY day, system, activity, number, entity, started_at ORDER BY ended_at DESC NULLS LAST, file_id, line_no
    ) = 1
),
listed AS (
    -- an end in the hour that autumn repeats may be of its second pass: only the log's lines have an order
    SELECT r.* REPLACE (coalesce(d.logged_at, r.ended_at) AS ended_at)
    FROM one_row r CROSS JOIN site.setting c LEFT JOIN done d
        ON d.system = r.system AND d.task = r.task AND d.number = r.number
           AND abs(date_diff('second', r.ended_at, d.logged_at) - 3600) <= 60
           AND site_time(r.ended_at, c.zone) = site_time(r.ended_at + INTERVAL 1 HOUR, c.zone)
    QUALIFY row_number() OVER (PARTITION BY r.file_id, r.line_no ORDER BY d.logged_at) = 1
),
accounted AS (
    SELECT * FROM bronze.tsm_accounting
    QUALIFY row_number() OVER (PARTITION BY system, node, ended_at, took_s, network_bytes ORDER BY file_id, line_no) = 1
),
numbered AS (
    -- the log has the end of a session within seconds
    SELECT a.*, e.number
    FROM accounted a LEFT JOIN message e
        ON e.kind = 'ended' AND e.system = a.system AND e.entity = a.node
           AND abs(date_diff('second', e.logged_at, a.ended_at)) <= 5
    QUALIFY row_number() OVER (PARTITION BY a.file_id, a.line_no
                               ORDER BY abs(date_diff('second', e.logged_at, a.ended_at)), e.number) = 1
),
of_client AS (
    SELECT n.*, unnest([{'activity': 'ARCHIVE', 'n': n_archived, 'bytes': archived_bytes},
                        {'activity': 'RETRIEVE', 'n': n_retrieved, 'bytes': retrieved_bytes},
                        {'activity': 'BACKUP', 'n': n_backed_up, 'bytes': backed_up_bytes},
                        {'activity': 'RESTORE', 'n': n_restored, 'bytes': restored_bytes}]) AS did
    FROM numbered n
),
of_server AS (
    SELECT p.system, p.number, p.entity, p.bytes, p.n_items, p.logged_at AS ended_at, min(b.logged_at) AS started_at,
           p.file_id, p.line_no
    FROM message p JOIN message b
        ON b.system = p.system AND b.task = p.task AND b.number = p.number
           AND b.logged_at BETWEEN p.logged_at - INTERVAL 2 DAY AND p.logged_at
    WHERE p.kind = 'processed' AND p.task = 'process'
    GROUP BY ALL
),
every_session AS (
    SELECT system, activity, task, number, entity,
           CASE WHEN regexp_full_match(client, '[0-9.]+|.*:.*') THEN client ELSE split_part(client, '.', 1) END AS client_host,
           started_at, ended_at, bytes, n_affected, n_failed, n_processes, media_wait_s, idle_s, network_wait_s,
           is_successful, file_id, line_no
    FROM listed
    UNION ALL BY NAME
    SELECT c.system, c.did.activity AS activity, 'session' AS task, c.number, c.node AS entity,
           c.ended_at - to_seconds(c.took_s) AS started_at, c.ended_at, c.did.bytes AS bytes, c.did.n AS n_affected,
           c.media_wait_s, c.idle_s, c.network_wait_s, c.is_normal_end AS is_successful, c.file_id, c.line_no
    FROM of_client c
    ANTI JOIN listed l
        ON l.system = c.system AND l.activity = c.did.activity AND l.entity = c.node
           AND abs(date_diff('second', l.ended_at, c.ended_at)) <= 5
    WHERE c.did.n > 0
    UNION ALL BY NAME
    SELECT s.system, upper(s.entity) AS activity, 'process' AS task, s.number, s.started_at, s.ended_at, s.bytes,
           s.n_items AS n_affected, s.file_id, s.line_no
    FROM of_server s
    ANTI JOIN listed l
        ON l.system = s.system AND l.task = 'process' AND l.number = s.number
           AND abs(date_diff('second', l.ended_at, s.ended_at)) <= 60
)
SELECT CAST(started_at AS DATE) AS day, system, activity, task, number, entity, client_host, started_at, ended_at,
       epoch(ended_at - started_at) AS took_s, bytes, bytes / nullif(epoch(ended_at - started_at), 0) AS rate_bytes_s,
       n_affected, n_failed, n_processes, media_wait_s, idle_s, network_wait_s, is_successful, file_id, line_no
FROM every_session
