/*
title = "Stores and restores of disk pools"
grain = "one row per request of a disk pool to send a file to tape or to fetch a file from tape"
why = "Shows how long stores and restores take, by pool and storage class. Users wait for restores. The times include the tape system's queue, the mount and positioning. They therefore give no drive rates. silver.transfer does not include these requests."
partition = "day"
features = ["D12"]
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of created_at" }
system = { type = "VARCHAR", doc = "archive system" }
pool = { type = "VARCHAR", doc = "disk pool" }
operation = { type = "VARCHAR", doc = "store (to tape) or restore (from tape)" }
pnfsid = { type = "VARCHAR", doc = "dCache's identifier of the file" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment. This is the part of dCache's storage class before the colon (without a colon, before the first dot), e.g. exp in exp:raw@osm" }
file_family = { type = "VARCHAR", doc = "file family: files that share tapes. This is the part of the storage class between storage group and @, e.g. raw in exp:raw@osm" }
hsm = { type = "VARCHAR", doc = "tape system: the part of the storage class after the @, e.g. osm in exp:raw@osm" }
bytes = { type = "BIGINT", unit = "bytes", doc = "size of the file" }
created_at = { type = "TIMESTAMP", doc = "when the pool made the request" }
started_at = { type = "TIMESTAMP", doc = "when the pool gave the request to the tape system; NULL for restores, and where the request ended before that" }
ended_at = { type = "TIMESTAMP", doc = "when the request ended. For restores this is the earliest possible end, because dCache does not log their time in the pool's queue" }
queue_s = { type = "DOUBLE", unit = "s", doc = "time in the pool's queue, from created_at to started_at; NULL for restores, because dCache does not log it, and if the request never started" }
transfer_s = { type = "DOUBLE", unit = "s", doc = "time in the tape system: its queue, mount, positioning and transfer; NULL if the request never started" }
latency_s = { type = "DOUBLE", unit = "s", doc = "queue_s + transfer_s, or transfer_s alone where queue_s is not known; NULL where transfer_s is NULL" }
outcome = { type = "VARCHAR", doc = "done, failed, or cancelled (ended before the tape system had it)" }
error_code = { type = "BIGINT", doc = "error code of the request; 0 for success" }
error = { type = "VARCHAR", doc = "error message of a failed request" }
transaction = { type = "VARCHAR", doc = "dCache's identifier of the request; NULL where no record has it" }
witnesses = { type = "VARCHAR", doc = "formats of dCache's billing log in which the request was found: database, json, text" }
n_records = { type = "BIGINT", doc = "number of records of dCache's billing log about the request" }
file_id = { type = "VARCHAR", doc = "log file with the billing record from which the row was made" }
line_no = { type = "BIGINT", doc = "number of the line in file_id from which the row was made" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "latency_s"
min_value = 0
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeInSet"
column = "outcome"
value_set = ["done", "failed", "cancelled"]
severity = "critical"
*/
-- Text has neither transaction nor milliseconds, so one request is: pool, file, direction and second of creation. A
-- store that is logged twice, once as done and once as error 666, is therefore one request; the record of the done one counts.
WITH ranked AS (
    SELECT *, date_trunc('second', created_at) AS created_s,
           CASE encoding WHEN 'database' THEN 1 WHEN 'json' THEN 2 ELSE 3 END AS rank
    FROM bronze.dcache_billing_request
),
known AS (
    SELECT *,
           string_agg(DISTINCT encoding, ' ' ORDER BY encoding) OVER same AS witnesses,
           count(*) OVER same AS n_records
    FROM ranked
    WINDOW same AS (PARTITION BY day, system, pool, operation, pnfsid, created_s)
    QUALIFY row_number() OVER (
        PARTITION BY day, system, pool, operation, pnfsid, created_s
        ORDER BY error_code <> 0, rank, is_error_copy, file_id, line_no
    ) = 1
)
SELECT day, system, pool, operation, pnfsid, storage_group, file_family, hsm, bytes, created_at, started_at, ended_at,
       queue_s, transfer_s, coalesce(queue_s, 0) + transfer_s AS latency_s,
       CASE WHEN error_code = 0 THEN 'done' WHEN note = 'ended before it was started' THEN 'cancelled'
            ELSE 'failed' END AS outcome,
       error_code, error, transaction, witnesses, n_records, file_id, line_no
FROM known
