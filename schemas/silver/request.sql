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
queued_at = { type = "TIMESTAMP", doc = "entered the queue; where only the accounting tells of it, when the client began, which the id holds" }
assigned_at = { type = "TIMESTAMP", doc = "given to a mover, the first time; where only the accounting tells of it, done_at less bytes / overall rate" }
done_at = { type = "TIMESTAMP", doc = "client's line of the finished file, or its row in the accounting" }
n_tries = { type = "BIGINT", doc = "times it was given to a mover" }
file_id = { type = "VARCHAR", doc = "a file that speaks of it" }
line_no = { type = "BIGINT", doc = "first line there" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "request_id"]
severity = "critical"
*/
WITH entry AS (
    SELECT system, unique_id, mode, storage_group, file_family, ended_at AS said_at, ended_at AS done_at,
           CASE WHEN file_bytes / overall_bytes_s BETWEEN 0 AND 86400
                THEN ended_at - to_microseconds(CAST(round(1e6 * file_bytes / overall_bytes_s) AS BIGINT)) END
               AS assigned_at,
           file_id, line_no
    FROM bronze.enstore_accounting_transfer
    WHERE unique_id IS NOT NULL AND coalesce(driver, '') NOT IN ('DiskDriver', 'NullDriver') AND volume NOT LIKE '%:%'
    UNION ALL BY NAME
    SELECT system, unique_id, mode, storage_group, file_family, failed_at AS said_at, file_id, line_no
    FROM bronze.enstore_accounting_error
    WHERE unique_id IS NOT NULL AND mover IS NOT NULL AND coalesce(drive_product, '') <> 'Unknown'
      AND coalesce(volume, '') NOT LIKE '%:%'
),
begun AS (
    -- the id holds the client's start; a month before the end it is no start any more
    SELECT *, CASE WHEN start_at BETWEEN said_at - INTERVAL 30 DAY AND said_at
                   THEN least(start_at, assigned_at) END AS begun_at
    FROM (SELECT *, CAST(make_timestamp(1000000 * TRY_CAST(regexp_extract(unique_id, '-([0-9]{9,10})-[0-9]+-[0-9]+$', 1)
                                                           AS BIGINT)) AS TIMESTAMP) AS start_at FROM entry)
),
told AS (
    SELECT system, unique_id AS request_id, mode, storage_group, file_family, logged_at AS queued_at, file_id, line_no
    FROM bronze.enstore_log_manager WHERE kind = 'queued' AND unique_id IS NOT NULL
    UNION ALL BY NAME
    SELECT system, unique_id AS request_id, nullif(split_part(volume_family, '.', 1), '') AS storage_group,
           nullif(split_part(volume_family, '.', 2), '') AS file_family, queued_at,
           coalesce(dequeued_at, logged_at) AS assigned_at, file_id, line_no
    FROM bronze.enstore_log_mover WHERE kind = 'ticket' AND unique_id IS NOT NULL
    UNION ALL BY NAME
    SELECT system, unique_id AS request_id, mode, storage_group, logged_at AS done_at, file_id, line_no
    FROM bronze.enstore_log_encp WHERE unique_id IS NOT NULL
    UNION ALL BY NAME
    SELECT system, unique_id AS request_id, mode, storage_group, file_family, begun_at AS table_queued_at,
           assigned_at AS table_assigned_at, done_at AS table_done_at, said_at AS table_said_at, file_id, line_no
    FROM begun
),
grouped AS (
    SELECT system, request_id, max(mode) AS mode, max(storage_group) AS storage_group, max(file_family) AS file_family,
           coalesce(min(queued_at), CASE WHEN count(assigned_at) = 0 THEN min(table_queued_at) END) AS queued_at,
           coalesce(min(assigned_at), CASE WHEN coalesce(min(table_assigned_at) >= min(queued_at), TRUE)
                                           THEN min(table_assigned_at) END) AS assigned_at,
           coalesce(max(done_at), max(table_done_at)) AS done_at,
           greatest(count(DISTINCT assigned_at), count(DISTINCT table_said_at)) AS n_tries,
           coalesce(max(done_at), max(table_said_at)) AS said_at,
           min(file_id) AS file_id, arg_min(line_no, (file_id, line_no)) AS line_no
    FROM told GROUP BY system, request_id
)
SELECT CAST(coalesce(queued_at, assigned_at, done_at, said_at) AS DATE) AS day, request_id, system,
       coalesce(a.station, split_part(regexp_extract(request_id, '^(.*)-[0-9]+-[0-9]+-[0-9]+$', 1), '.', 1)) AS station,
       mode, storage_group, file_family, queued_at, assigned_at, done_at, n_tries, file_id, line_no
FROM grouped
LEFT JOIN site.station_alias a
    ON a.alias = split_part(regexp_extract(request_id, '^(.*)-[0-9]+-[0-9]+-[0-9]+$', 1), '.', 1)
