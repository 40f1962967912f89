/*
title = "Samples of the load of disks"
grain = "one row per host, tool, device and sampled interval"
why = "Shows for each disk how much data it moved, how long requests waited, how many were queued and how busy it was. Several tools may have sampled the same time."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
host = { type = "VARCHAR", doc = "host, named as in site.toml if declared there" }
tool = { type = "VARCHAR", doc = "program or file format from which the sample comes, e.g. iostat or prometheus_text" }
device = { type = "VARCHAR", doc = "device, as the tool names it, without /dev/" }
kind = { type = "VARCHAR", doc = "kind of device: disk, partition, mapper, md, multipath, group (several devices together), loop, ram, tape, cdrom, nfs or other. The bytes of partition, mapper, md, multipath and group are also counted for a disk" }
is_summed = { type = "BOOLEAN", doc = "true if the device counts in the totals of its host: only complete disks (kind disk) count. The bytes of partitions, and of devices that combine disks, would otherwise count twice" }
from_at = { type = "TIMESTAMP", doc = "start of the sample" }
to_at = { type = "TIMESTAMP", doc = "end of the sample" }
request_rate = { type = "DOUBLE", unit = "1/s", doc = "requests completed per second. If the tool gives no total, the sum of reads, writes and discards" }
read_request_rate = { type = "DOUBLE", unit = "1/s", doc = "reads completed per second" }
write_request_rate = { type = "DOUBLE", unit = "1/s", doc = "writes completed per second" }
moved_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "bytes read and written per second; includes discards where the tool gives only the total" }
read_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "bytes read per second" }
write_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "bytes written per second" }
wait_s = { type = "DOUBLE", unit = "s", doc = "mean time of a request in queue and device, from its arrival to its completion. NULL where no request completed, or the tool did not measure this time" }
read_wait_s = { type = "DOUBLE", unit = "s", doc = "mean time of a read in queue and device, from its arrival to its completion; NULL where no read completed" }
write_wait_s = { type = "DOUBLE", unit = "s", doc = "mean time of a write in queue and device, from its arrival to its completion; NULL where no write completed" }
queue = { type = "DOUBLE", doc = "mean number of requests that waited or were in progress" }
busy = { type = "DOUBLE", unit = "1", doc = "share of time in which the device worked on at least one request" }
note = { type = "VARCHAR", doc = "defect that made some values of this row NULL, such as a wrapped counter; NULL where no defect is known" }
file_id = { type = "VARCHAR", doc = "file from which the row was made" }
line_no = { type = "BIGINT", doc = "number of the line in file_id from which the row was made" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "write_bytes_s"
min_value = 0
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "wait_s"
min_value = 0
severity = "warning"
*/
WITH sampled AS (
    SELECT * FROM bronze.device_sample WHERE starts_with(tool, 'collectd_csv ') IS NOT TRUE
    UNION ALL BY NAME
    -- one file per quantity: those of one reading are one row
    SELECT d.host, 'collectd_csv' AS tool, d.device, d.kind, i.from_at, i.to_at, max(d.read_request_rate) AS read_request_rate,
           max(d.write_request_rate) AS write_request_rate, max(d.read_bytes_s) AS read_bytes_s,
           max(d.write_bytes_s) AS write_bytes_s, max(d.read_wait_s) AS read_wait_s, max(d.write_wait_s) AS write_wait_s,
           max(d.queue) AS queue, max(d.busy) AS busy, min(d.file_id) AS file_id, arg_min(d.line_no, d.file_id) AS line_no
    FROM bronze.device_sample d
    JOIN silver.series_instant i ON i.day = d.day AND i.file_id = d.file_id AND i.line_no = d.line_no
    GROUP BY d.host, d.device, d.kind, i.from_at, i.to_at
),
weighed AS (
    -- a wait that was not measured, though requests completed, leaves the mean of both unknown
    SELECT *, CASE
            WHEN read_request_rate > 0 AND read_wait_s IS NULL THEN NULL
            WHEN write_request_rate > 0 AND write_wait_s IS NULL THEN NULL
            ELSE (read_request_rate * coalesce(read_wait_s, 0) + write_request_rate * coalesce(write_wait_s, 0))
                / nullif(read_request_rate + write_request_rate, 0)
        END AS both_wait_s
    FROM sampled
)
SELECT CAST(w.from_at AS DATE) AS day, coalesce(a.station, w.host) AS host, w.tool, w.device, w.kind,
       w.kind = 'disk' AS is_summed, w.from_at, w.to_at,
       coalesce(
           w.request_rate, w.read_request_rate + w.write_request_rate + coalesce(w.discard_request_rate, 0)
       ) AS request_rate,
       w.read_request_rate, w.write_request_rate,
       coalesce(w.moved_bytes_s, w.read_bytes_s + w.write_bytes_s) AS moved_bytes_s, w.read_bytes_s, w.write_bytes_s,
       coalesce(w.wait_s, w.both_wait_s) AS wait_s, w.read_wait_s, w.write_wait_s, w.queue, w.busy, w.note,
       w.file_id, w.line_no
FROM weighed w
LEFT JOIN site.station_alias a ON a.alias = short_host(w.host)
QUALIFY row_number() OVER (
    PARTITION BY coalesce(a.station, w.host), w.tool, w.device, w.from_at, w.to_at ORDER BY w.file_id, w.line_no
) = 1
