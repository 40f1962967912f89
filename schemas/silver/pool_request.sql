/*
title = "Stores and restores in the pools' logs"
grain = "one row per request of a disk pool to send a file to tape or to fetch a file from tape"
why = "How long users wait: latency by pool and class, including the tape system's queue, mount and positioning. The requests give no drive rates, and silver.transfer does not include them."
partition = "day"
features = ["D12"]
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of created_at" }
system = { type = "VARCHAR", doc = "archive system" }
pool = { type = "VARCHAR", doc = "disk pool" }
operation = { type = "VARCHAR", doc = "store (to tape) or restore (from tape)" }
pnfsid = { type = "VARCHAR", doc = "dCache's identifier of the file" }
storage_group = { type = "VARCHAR", doc = "storage group from the storage class" }
file_family = { type = "VARCHAR", doc = "file family from the storage class" }
hsm = { type = "VARCHAR", doc = "tape system" }
bytes = { type = "BIGINT", unit = "bytes", doc = "size of the file" }
created_at = { type = "TIMESTAMP", doc = "when the pool made the request" }
started_at = { type = "TIMESTAMP", doc = "when the pool gave the request to the tape system, where known" }
ended_at = { type = "TIMESTAMP", doc = "when the request ended; for restores the earliest possible end" }
queue_s = { type = "DOUBLE", unit = "s", doc = "time from created_at to started_at; NULL for restores, because dCache does not write it" }
transfer_s = { type = "DOUBLE", unit = "s", doc = "time from started_at to ended_at; NULL if the request never started" }
latency_s = { type = "DOUBLE", unit = "s", doc = "time in the queue, where known, plus transfer_s" }
outcome = { type = "VARCHAR", doc = "done, failed, or cancelled (ended before it started)" }
error_code = { type = "BIGINT", doc = "error code of the request; 0 for success" }
error = { type = "VARCHAR", doc = "error message of a failed request" }
transaction = { type = "VARCHAR", doc = "dCache's identifier of the request, where a record has it" }
witnesses = { type = "VARCHAR", doc = "encodings in which billing has the request, in this order: database json text" }
n_records = { type = "BIGINT", doc = "number of billing records of the request" }
file_id = { type = "VARCHAR", doc = "file with the record that was used" }
line_no = { type = "BIGINT", doc = "line number in the file the row comes from" }

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
-- store logged twice, good and as error 666, falls together by the same rule; the good record is taken.
WITH told AS (
    SELECT *, date_trunc('second', created_at) AS created_s,
           CASE encoding WHEN 'database' THEN 1 WHEN 'json' THEN 2 ELSE 3 END AS rank
    FROM bronze.dcache_billing_request
),
known AS (
    SELECT *,
           string_agg(DISTINCT encoding, ' ' ORDER BY encoding) OVER same AS witnesses,
           count(*) OVER same AS n_records
    FROM told
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
