/*
title = "Load of disk pools and of hosts' disks per hour"
grain = "one row per hour, disk pool and kind of request; also one row per hour, disk of a host and mode (read or write); hours without load have no row"
why = "Pools that serve the same requests should share the load evenly, and so should the disks of a station. If one pool or disk gets more than the others, requests may wait for it while the others are idle."
partition = "month"
lineage = ["file_id", "line_no"]
features = ["D12", "P16", "C06"]

[columns]
day = { type = "DATE", doc = "site day of hour_at" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC" }
kind = { type = "VARCHAR", doc = "what the row is about: pool or disk" }
system = { type = "VARCHAR", doc = "archive system of the pool, or host of the disk" }
member = { type = "VARCHAR", doc = "name of the pool, or device of the disk" }
work = { type = "VARCHAR", doc = "kind of work. Pools: store or restore, followed by dCache's storage class as `group:family` (storage group and file family). Disks: write or read" }
amount = { type = "BIGINT", doc = "load of a pool: number of requests; load of a disk: bytes" }
unit = { type = "VARCHAR", doc = "unit of amount: requests or bytes" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "pool: total size of the files that its requests name; disk: data read or written" }
file_id = { type = "VARCHAR", doc = "log file with the first request (pool) or sample (disk) of the hour" }
line_no = { type = "BIGINT", doc = "number of the line with the first request (pool) or sample (disk) of the hour" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["hour_at", "kind", "system", "member", "work"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "amount"
min_value = 1
severity = "critical"
*/
WITH asked AS (
    SELECT 'pool' AS kind, system, pool AS member,
           concat_ws(' ', operation, nullif(concat_ws(':', storage_group, file_family), '')) AS work,
           date_trunc('hour', created_at) AS hour_at, count(*) AS amount, CAST(sum(bytes) AS BIGINT) AS moved_bytes,
           arg_min(file_id, (created_at, file_id, line_no)) AS file_id,
           arg_min(line_no, (created_at, file_id, line_no)) AS line_no
    FROM silver.pool_request
    WHERE pool IS NOT NULL
    GROUP BY ALL
),
counted AS (
    SELECT host, tool, date_trunc('hour', from_at) AS hour_at, count(*) AS n_samples
    FROM silver.device_sample WHERE to_at > from_at AND kind = 'disk'
    GROUP BY ALL
),
finest AS (
    -- of several tools, the one with the most samples
    SELECT host, tool, hour_at FROM counted
    QUALIFY row_number() OVER (PARTITION BY host, hour_at ORDER BY n_samples DESC, tool) = 1
),
sample AS (
    SELECT s.host, s.device, f.hour_at, s.from_at, s.file_id, s.line_no,
           CAST(round(s.read_bytes_s * date_diff('microsecond', s.from_at, s.to_at) / 1e6) AS BIGINT) AS read,
           CAST(round(s.write_bytes_s * date_diff('microsecond', s.from_at, s.to_at) / 1e6) AS BIGINT) AS write
    FROM silver.device_sample s
    JOIN finest f
        ON f.host = s.host AND f.tool IS NOT DISTINCT FROM s.tool AND f.hour_at = date_trunc('hour', s.from_at)
    WHERE s.to_at > s.from_at AND s.kind = 'disk'
),
moved AS (
    SELECT 'disk' AS kind, host AS system, device AS member, work, hour_at, CAST(sum(bytes) AS BIGINT) AS amount,
           arg_min(file_id, (from_at, file_id, line_no)) AS file_id,
           arg_min(line_no, (from_at, file_id, line_no)) AS line_no
    FROM (SELECT * EXCLUDE (read, write), 'read' AS work, read AS bytes FROM sample
          UNION ALL SELECT * EXCLUDE (read, write), 'write', write FROM sample)
    GROUP BY ALL
    HAVING sum(bytes) > 0
),
used AS (
    SELECT kind, system, member, work, hour_at, amount, 'requests' AS unit, moved_bytes, file_id, line_no FROM asked
    UNION ALL
    SELECT kind, system, member, work, hour_at, amount, 'bytes', amount, file_id, line_no FROM moved
)
SELECT site_day(u.hour_at, c.zone) AS day, u.hour_at, u.kind, u.system, u.member, u.work,
       u.amount, u.unit, u.moved_bytes / 1e9 AS moved_gb, u.file_id, u.line_no
FROM used u CROSS JOIN site.setting c
