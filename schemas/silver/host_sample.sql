/*
title = "Load of hosts"
grain = "one row per host and sampled interval"
why = "Processor shares and disk traffic of a host at the finest step known."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
host = { type = "VARCHAR", doc = "host, a station's alias repaired" }
from_at = { type = "TIMESTAMP", doc = "begin of the interval" }
to_at = { type = "TIMESTAMP", doc = "end of the interval" }
cpu_user = { type = "DOUBLE", unit = "1", doc = "share of processor time in user code" }
cpu_system = { type = "DOUBLE", unit = "1", doc = "share in the kernel" }
cpu_idle = { type = "DOUBLE", unit = "1", doc = "share idle" }
cpu_wait = { type = "DOUBLE", unit = "1", doc = "share idle with disk requests outstanding" }
run_queue = { type = "INTEGER", doc = "runnable tasks" }
blocked = { type = "INTEGER", doc = "tasks in uninterruptible sleep" }
read_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "read from block devices" }
write_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "written to block devices" }
file_id = { type = "VARCHAR", doc = "file the row comes from" }
line_no = { type = "BIGINT", doc = "line of that file" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "write_bytes_s"
min_value = 0
severity = "critical"
*/
SELECT CAST(v.from_at AS DATE) AS day, coalesce(a.station, v.host) AS host, v.from_at, v.to_at, v.cpu_user,
       v.cpu_system, v.cpu_idle, v.cpu_wait, v.run_queue, v.blocked, v.read_bytes_s, v.write_bytes_s, v.file_id,
       v.line_no
FROM bronze.vmstat v
LEFT JOIN site.station_alias a ON a.alias = split_part(v.host, '.', 1)
QUALIFY row_number() OVER (
    PARTITION BY coalesce(a.station, v.host), v.from_at, v.to_at ORDER BY v.file_id, v.line_no
) = 1
