/*
title = "Requests"
grain = "one row per request for a file"
why = "Queue wait, apart from drive time: when a file was asked for, given to a mover, and done."
partition = "day"
lineage = ["file_id", "line_no"]
features = ["D11"]

[columns]
day = { type = "DATE", doc = "UTC day of queued_at, or of the first instant known" }
request_id = { type = "VARCHAR", doc = "Enstore's unique_id" }
system = { type = "VARCHAR", doc = "archive system" }
station = { type = "VARCHAR", doc = "host of the client" }
mode = { type = "VARCHAR", doc = "read or write" }
storage_group = { type = "VARCHAR", doc = "storage group" }
file_family = { type = "VARCHAR", doc = "file family" }
queued_at = { type = "TIMESTAMP", doc = "entered the queue" }
assigned_at = { type = "TIMESTAMP", doc = "given to a mover, the first time" }
done_at = { type = "TIMESTAMP", doc = "client's line of the finished file" }
n_tries = { type = "BIGINT", doc = "times it was given to a mover" }
file_id = { type = "VARCHAR", doc = "a file that speaks of it" }
line_no = { type = "BIGINT", doc = "first line there" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "request_id"]
severity = "critical"
*/
WITH told AS (
    SELECT system, unique_id AS request_id, mode, storage_group, file_family, logged_at AS queued_at,
           CAST(NULL AS TIMESTAMP) AS assigned_at, CAST(NULL AS TIMESTAMP) AS done_at, file_id, line_no
    FROM bronze.enstore_log_manager WHERE kind = 'queued' AND unique_id IS NOT NULL
    UNION ALL
    SELECT system, unique_id, NULL, nullif(split_part(volume_family, '.', 1), ''),
           nullif(split_part(volume_family, '.', 2), ''), queued_at, coalesce(dequeued_at, logged_at), NULL,
           file_id, line_no
    FROM bronze.enstore_log_mover WHERE kind = 'ticket' AND unique_id IS NOT NULL
    UNION ALL
    SELECT system, unique_id, mode, storage_group, NULL, NULL, NULL, logged_at, file_id, line_no
    FROM bronze.enstore_log_encp WHERE unique_id IS NOT NULL
),
grouped AS (
    SELECT system, request_id, max(mode) AS mode, max(storage_group) AS storage_group, max(file_family) AS file_family,
           min(queued_at) AS queued_at, min(assigned_at) AS assigned_at, max(done_at) AS done_at,
           count(DISTINCT assigned_at) AS n_tries, min(file_id) AS file_id,
           arg_min(line_no, (file_id, line_no)) AS line_no
    FROM told GROUP BY system, request_id
)
SELECT CAST(coalesce(queued_at, assigned_at, done_at) AS DATE) AS day, request_id, system,
       coalesce(a.station, split_part(regexp_extract(request_id, '^(.*)-[0-9]+-[0-9]+-[0-9]+$', 1), '.', 1)) AS station,
       mode, storage_group, file_family, queued_at, assigned_at, done_at, n_tries, file_id, line_no
FROM grouped
LEFT JOIN site.station_alias a
    ON a.alias = split_part(regexp_extract(request_id, '^(.*)-[0-9]+-[0-9]+-[0-9]+$', 1), '.', 1)
