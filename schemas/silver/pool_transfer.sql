/*
title = "Data moved between clients and disk pools"
grain = "one row per transfer between a client and a disk pool, or between two pools. A transfer whose record is in several log files counts once"
why = "Shows which clients read the files fetched from tape, when and from where. A recall was wasted if no client read the recalled file. The rate of a read from a remote site also depends on the network between the sites."
partition = "day"
lineage = ["file_id", "line_no"]
features = ["P10"]

[columns]
day = { type = "DATE", doc = "UTC day of ended_at" }
system = { type = "VARCHAR", doc = "archive system" }
pool = { type = "VARCHAR", doc = "disk pool" }
pnfsid = { type = "VARCHAR", doc = "dCache's identifier of the file" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment. This is the part of dCache's storage class before the colon (without a colon, before the first dot), e.g. exp in exp:raw@osm" }
file_family = { type = "VARCHAR", doc = "file family: files that share tapes. This is the part of the storage class between storage group and @, e.g. raw in exp:raw@osm" }
mode = { type = "VARCHAR", doc = "read or write (by a client), or copy (from pool to pool)" }
protocol = { type = "VARCHAR", doc = "name of the transfer's protocol, without its version" }
client = { type = "VARCHAR", doc = "address or name of the client; for a copy, host of the other pool" }
bytes = { type = "BIGINT", unit = "bytes", doc = "size of the file" }
moved_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes moved" }
started_at = { type = "TIMESTAMP", doc = "start of the transfer, computed as ended_at minus took_s" }
ended_at = { type = "TIMESTAMP", doc = "time of the billing record, in whole seconds" }
took_s = { type = "DOUBLE", unit = "s", doc = "duration of the connection between client and pool" }
error_code = { type = "BIGINT", doc = "error code of the transfer; 0 for success" }
error = { type = "VARCHAR", doc = "error message of a failed transfer" }
file_id = { type = "VARCHAR", doc = "file from which the row was made" }
line_no = { type = "BIGINT", doc = "number of the line in file_id from which the row was made" }

[[checks]]
expectation = "ExpectColumnValuesToBeInSet"
column = "mode"
value_set = ["read", "write", "copy"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "ended_at"
column_B = "started_at"
or_equal = true
severity = "critical"
*/
-- the n-th of equal records in one file is the n-th in any other file
WITH counted AS (
    SELECT *, row_number() OVER (
               PARTITION BY file_id, system, pool, pnfsid, ended_at, moved_bytes, took_s, protocol, client ORDER BY line_no) AS nth
    FROM bronze.dcache_billing_transfer
)
SELECT day, system, pool, pnfsid, storage_group, file_family,
       CASE WHEN is_copy THEN 'copy' WHEN is_write THEN 'write' ELSE 'read' END AS mode, protocol, client, bytes, moved_bytes,
       ended_at - to_microseconds(CAST(round(took_s * 1e6) AS BIGINT)) AS started_at, ended_at, took_s, error_code, error,
       file_id, line_no
FROM counted
QUALIFY row_number() OVER (
    PARTITION BY day, system, pool, pnfsid, ended_at, moved_bytes, took_s, protocol, client, nth ORDER BY file_id, line_no) = 1
