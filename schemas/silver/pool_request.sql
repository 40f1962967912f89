/*
title = "Stores and restores from the pools' logs"
grain = "one row per request of a disk pool to send a file to tape or to fetch one"
why = "The waits of users: latency by pool and class, including the tape system's queue, mount and positioning. There are no drive rates, and silver.transfer does not include these requests."
partition = "day"
features = ["D12"]
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of created_at" }
system = { type = "VARCHAR", doc = "archive system" }
pool = { type = "VARCHAR", doc = "disk pool" }
operation = { type = "VARCHAR", doc = "store (to tape) or restore (from tape)" }
pnfsid = { type = "VARCHAR", doc = "dCache's name of the file" }
storage_group = { type = "VARCHAR", doc = "storage group of the class" }
file_family = { type = "VARCHAR", doc = "file family of the class" }
hsm = { type = "VARCHAR", doc = "tape system" }
bytes = { type = "BIGINT", unit = "bytes", doc = "size of the file" }
created_at = { type = "TIMESTAMP", doc = "when the pool made the request" }
started_at = { type = "TIMESTAMP", doc = "when it was given to the tape system, where known" }
ended_at = { type = "TIMESTAMP", doc = "when it ended; for restores the earliest possible end" }
queue_s = { type = "DOUBLE", unit = "s", doc = "from created to started; dCache does not write it for restores" }
transfer_s = { type = "DOUBLE", unit = "s", doc = "from started to ended; NULL where it was never started" }
latency_s = { type = "DOUBLE", unit = "s", doc = "queueing, where known, and transfer" }
outcome = { type = "VARCHAR", doc = "done, failed, or cancelled: ended before it was started" }
error_code = { type = "BIGINT", doc = "0 for success" }
error = { type = "VARCHAR", doc = "message of the failure" }
transaction = { type = "VARCHAR", doc = "dCache's name of the request, where a record gives it" }
witnesses = { type = "VARCHAR", doc = "encodings that have it: database json text, in this order" }
n_records = { type = "BIGINT", doc = "records of the request" }
file_id = { type = "VARCHAR", doc = "file of the record used" }
line_no = { type = "BIGINT", doc = "line number in that file" }

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
