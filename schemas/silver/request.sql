/*
title = "Requests"
grain = "one row per request for a file. If the requests of a CTA mount were not logged, the mount has one row, for the file that waited longest"
why = "Shows when each file was requested, when a mover took the request, and when the file was done. The wait in the queue is thus separate from drive time."
partition = "day"
lineage = ["file_id", "line_no"]
features = ["D11"]

[columns]
day = { type = "DATE", doc = "UTC day of queued_at. If queued_at is not known, UTC day of the earliest known time of the request" }
request_id = { type = "VARCHAR", doc = "identifier of the request. Enstore: unique_id. CTA: instance, number of the file, and when the request was queued. If only the oldest request of a mount is known: the session_id of the mount" }
system = { type = "VARCHAR", doc = "archive system" }
station = { type = "VARCHAR", doc = "client host or disk system that requested the file" }
mode = { type = "VARCHAR", doc = "read or write" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the file, e.g. an experiment; for CTA the virtual organisation" }
file_family = { type = "VARCHAR", doc = "file family: files that share tapes, e.g. one data set; for CTA the tape pool" }
queued_at = { type = "TIMESTAMP", doc = "when the request entered the queue. If only the accounting has the request: when the client started, according to the request id. If only the oldest request of a mount is known: the time at which CTA chose the mount, minus the age of that request" }
due_at = { type = "TIMESTAMP", doc = "CTA: queued_at plus the least age of the mount policy. Before then, CTA mounts a tape only if enough files or bytes are requested. NULL for Enstore, and where no log shows the policy" }
assigned_at = { type = "TIMESTAMP", doc = "when the request was first assigned to a mover. If only the accounting has the request: done_at minus (bytes ÷ overall rate). CTA: when work on the file started. CTA, if only the oldest request of a mount is known: when CTA chose the mount" }
done_at = { type = "TIMESTAMP", doc = "when the file was done. Enstore: time of the client's log line about the file, or of the file's row in the accounting. CTA, read: when the file was read. CTA, write: when every copy was flushed to tape" }
n_tries = { type = "BIGINT", doc = "number of times the request was assigned to a mover. For CTA, number of attempts to move the file, not counting those for further copies" }
is_of_mount = { type = "BOOLEAN", doc = "true if the request itself was not logged. Only the mount, and the wait of its oldest file, are then known" }
file_id = { type = "VARCHAR", doc = "one of the log files with a line about the request" }
line_no = { type = "BIGINT", doc = "number of the request's first line in file_id" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "request_id"]
severity = "critical"
*/
WITH entry AS (
    SELECT system, unique_id, mode, storage_group, file_family, ended_at AS reported_at, ended_at AS done_at,
           CASE WHEN file_bytes / overall_bytes_s BETWEEN 0 AND 86400
                THEN ended_at - to_microseconds(CAST(round(1e6 * file_bytes / overall_bytes_s) AS BIGINT)) END
               AS assigned_at,
           file_id, line_no
    FROM bronze.enstore_accounting_transfer
    WHERE unique_id IS NOT NULL AND coalesce(driver, '') NOT IN ('DiskDriver', 'NullDriver') AND volume NOT LIKE '%:%'
    UNION ALL BY NAME
    SELECT system, unique_id, mode, storage_group, file_family, failed_at AS reported_at, file_id, line_no
    FROM bronze.enstore_accounting_error
    WHERE unique_id IS NOT NULL AND mover IS NOT NULL AND coalesce(drive_product, '') <> 'Unknown'
      AND coalesce(volume, '') NOT LIKE '%:%'
),
begun AS (
    -- the id holds the client's start; an instant a month before the end is not a start
    SELECT *, CASE WHEN start_at BETWEEN reported_at - INTERVAL 30 DAY AND reported_at
                   THEN least(start_at, assigned_at) END AS begun_at
    FROM (SELECT *, CAST(make_timestamp(1000000 * TRY_CAST(regexp_extract(unique_id, '-([0-9]{9,10})-[0-9]+-[0-9]+$', 1)
                                                           AS BIGINT)) AS TIMESTAMP) AS start_at FROM entry)
),
reported AS (
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
           assigned_at AS table_assigned_at, done_at AS table_done_at, reported_at AS table_reported_at, file_id, line_no
    FROM begun
),
grouped AS (
    SELECT system, request_id, max(mode) AS mode, max(storage_group) AS storage_group, max(file_family) AS file_family,
           coalesce(min(queued_at), CASE WHEN count(assigned_at) = 0 THEN min(table_queued_at) END) AS queued_at,
           coalesce(min(assigned_at), CASE WHEN coalesce(min(table_assigned_at) >= min(queued_at), TRUE)
                                           THEN min(table_assigned_at) END) AS assigned_at,
           coalesce(max(done_at), max(table_done_at)) AS done_at,
           greatest(count(DISTINCT assigned_at), count(DISTINCT table_reported_at)) AS n_tries,
           coalesce(max(done_at), max(table_reported_at)) AS reported_at,
           min(file_id) AS file_id, arg_min(line_no, (file_id, line_no)) AS line_no
    FROM reported GROUP BY system, request_id
),
asked AS (
    SELECT * FROM bronze.cta_request
    QUALIFY row_number() OVER (PARTITION BY system, mode, archive_file_id, logged_at ORDER BY file_id, line_no) = 1
),
served AS (
    SELECT system, unique_id, min(requested_at) AS assigned_at,
           CASE WHEN count(*) FILTER (status = 'ok' AND completed_at IS NULL) = 0
                THEN max(completed_at) FILTER (status = 'ok') END AS done_at,
           count(*) - count(DISTINCT coalesce(file_family, '')) + 1 AS n_tries,
           any_value(station ORDER BY transfer_id) AS station, any_value(storage_group ORDER BY transfer_id) AS storage_group,
           any_value(file_family ORDER BY transfer_id) AS file_family
    FROM silver.cta_transfer WHERE queued_at IS NOT NULL GROUP BY system, unique_id
),
by_frontend AS (
    SELECT concat(q.system, ':', q.archive_file_id, strftime(q.logged_at, ' %Y-%m-%dT%H:%M:%S.%fZ')) AS request_id, q.*
    FROM asked q
),
-- the scheduler's choice of a mount has no number of the mount: it is the latest one of its drive and volume
chosen AS (
    SELECT s.system, coalesce(d.drive, s.drive) AS drive, s.volume, s.logged_at, s.oldest_age_s, s.min_age_s, s.file_id, s.line_no
    FROM bronze.cta_step s LEFT JOIN site.drive d ON d.logname = s.drive
    WHERE s.kind = 'selected' AND s.oldest_age_s <= 366 * 86400
),
by_mount AS (
    SELECT m.system, m.session_id AS request_id, m.mode, m.storage_group, m.file_family, c.logged_at AS assigned_at,
           c.logged_at - to_microseconds(CAST(round(1e6 * c.oldest_age_s) AS BIGINT)) AS queued_at, c.min_age_s,
           c.file_id, c.line_no
    FROM silver.cta_mount m
    ASOF JOIN chosen c
        ON c.system = m.system AND c.drive = m.drive AND c.volume = m.volume AND c.logged_at <= m.from_at
    ANTI JOIN (SELECT DISTINCT system, session_id FROM silver.cta_transfer WHERE queued_at IS NOT NULL) f
        ON f.system = m.system AND f.session_id = m.session_id
    WHERE m.purpose = 'user' AND m.mode IS NOT NULL AND c.logged_at >= m.from_at - INTERVAL 10 MINUTE
    QUALIFY row_number() OVER (PARTITION BY m.system, m.drive, c.logged_at ORDER BY m.from_at, m.session_id) = 1
)
SELECT CAST(coalesce(queued_at, assigned_at, done_at, reported_at) AS DATE) AS day, request_id, system,
       coalesce(a.station, split_part(regexp_extract(request_id, '^(.*)-[0-9]+-[0-9]+-[0-9]+$', 1), '.', 1)) AS station,
       mode, storage_group, file_family, queued_at, CAST(NULL AS TIMESTAMP) AS due_at, assigned_at, done_at, n_tries,
       FALSE AS is_of_mount, file_id, line_no
FROM grouped
LEFT JOIN site.station_alias a
    ON a.alias = split_part(regexp_extract(request_id, '^(.*)-[0-9]+-[0-9]+-[0-9]+$', 1), '.', 1)
UNION ALL BY NAME
SELECT CAST(q.logged_at AS DATE) AS day, q.request_id, q.system,
       coalesce(s.station, a.station, split_part(q.disk_host, '.', 1), q.disk_instance) AS station, q.mode,
       s.storage_group, coalesce(s.file_family, q.tape_pool) AS file_family, q.logged_at AS queued_at,
       q.logged_at + to_microseconds(CAST(round(1e6 * q.min_age_s) AS BIGINT)) AS due_at, s.assigned_at, s.done_at,
       coalesce(s.n_tries, 0) AS n_tries, FALSE AS is_of_mount, q.file_id, q.line_no
FROM by_frontend q
LEFT JOIN served s ON s.system = q.system AND s.unique_id = q.request_id
LEFT JOIN site.station_alias a ON a.alias = split_part(q.disk_host, '.', 1)
UNION ALL BY NAME
SELECT CAST(queued_at AS DATE) AS day, request_id, system, mode, storage_group, file_family, queued_at,
       queued_at + to_microseconds(CAST(round(1e6 * min_age_s) AS BIGINT)) AS due_at, assigned_at, 1 AS n_tries, TRUE AS is_of_mount,
       file_id, line_no
FROM by_mount
