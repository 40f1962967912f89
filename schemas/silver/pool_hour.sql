/*
title = "Data moved by disk pools, per hour"
grain = "one row per pool, storage class and statistics file. The row describes the interval since the previous file of the same local day; for the first file, since local midnight"
why = "Shows how evenly the pools share the traffic of clients and the traffic with tape. dCache's counters count from midnight, so each row holds the differences between two readings."
partition = "month"
features = ["D12"]
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of to_at" }
system = { type = "VARCHAR", doc = "archive system" }
pool = { type = "VARCHAR", doc = "disk pool" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment. This is the part of dCache's storage class before the colon (without a colon, before the first dot), e.g. exp in exp:raw@osm" }
file_family = { type = "VARCHAR", doc = "file family: files that share tapes. This is the part of the storage class between storage group and @, e.g. raw in exp:raw@osm" }
hsm = { type = "VARCHAR", doc = "tape system: the part of the storage class after the @, e.g. osm in exp:raw@osm" }
from_at = { type = "TIMESTAMP", doc = "time of the previous statistics file; for the first file of a day, local midnight" }
to_at = { type = "TIMESTAMP", doc = "time of the statistics file at the end of the interval" }
is_reset = { type = "BOOLEAN", doc = "true if a counter went down, for example after a restart of the pool. The columns that count in the interval, from n_transfers to stored_bytes, are then NULL" }
n_transfers = { type = "BIGINT", doc = "number of transfers between clients and the pool" }
n_restores = { type = "BIGINT", doc = "number of files read from tape to the pool" }
n_stores = { type = "BIGINT", doc = "number of files written from the pool to tape" }
n_errors = { type = "BIGINT", doc = "number of errors that dCache counted in the interval" }
client_in_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes received from clients" }
client_out_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes sent to clients" }
restored_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes read from tape to the pool" }
stored_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes written from the pool to tape" }
held_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes stored in the pool at to_at" }
n_files = { type = "BIGINT", doc = "number of files stored in the pool at to_at" }
file_id = { type = "VARCHAR", doc = "statistics file written at to_at" }
line_no = { type = "BIGINT", doc = "number of the line in file_id from which the row was made" }

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "to_at"
column_B = "from_at"
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "stored_bytes"
min_value = 0
severity = "critical"
*/
WITH sampled AS (
    -- a day's file repeats the last hour's counters
    SELECT * FROM bronze.dcache_statistics
    WHERE sampled_at > counted_from
    QUALIFY row_number() OVER (
        PARTITION BY system, pool, storage_class, counted_from, sampled_at ORDER BY kind DESC, file_id, line_no
    ) = 1
),
counted AS (
    SELECT *, coalesce(lag(sampled_at) OVER hours, counted_from) AS from_at,
           n_transfers - coalesce(lag(n_transfers) OVER hours, 0) AS d_transfers,
           n_restores - coalesce(lag(n_restores) OVER hours, 0) AS d_restores,
           n_stores - coalesce(lag(n_stores) OVER hours, 0) AS d_stores,
           n_errors - coalesce(lag(n_errors) OVER hours, 0) AS d_errors,
           client_in_bytes - coalesce(lag(client_in_bytes) OVER hours, 0) AS d_in,
           client_out_bytes - coalesce(lag(client_out_bytes) OVER hours, 0) AS d_out,
           restored_bytes - coalesce(lag(restored_bytes) OVER hours, 0) AS d_restored,
           stored_bytes - coalesce(lag(stored_bytes) OVER hours, 0) AS d_stored
    FROM sampled
    WINDOW hours AS (PARTITION BY system, pool, storage_class, counted_from ORDER BY sampled_at)
),
judged AS (
    SELECT *, least(d_transfers, d_restores, d_stores, d_errors, d_in, d_out, d_restored, d_stored) < 0 AS is_reset
    FROM counted
)
SELECT CAST(sampled_at AS DATE) AS day, system, pool, storage_group, file_family, hsm, from_at, sampled_at AS to_at,
       is_reset, CASE WHEN NOT is_reset THEN d_transfers END AS n_transfers,
       CASE WHEN NOT is_reset THEN d_restores END AS n_restores, CASE WHEN NOT is_reset THEN d_stores END AS n_stores,
       CASE WHEN NOT is_reset THEN d_errors END AS n_errors, CASE WHEN NOT is_reset THEN d_in END AS client_in_bytes,
       CASE WHEN NOT is_reset THEN d_out END AS client_out_bytes,
       CASE WHEN NOT is_reset THEN d_restored END AS restored_bytes,
       CASE WHEN NOT is_reset THEN d_stored END AS stored_bytes, held_bytes, n_files, file_id, line_no
FROM judged
