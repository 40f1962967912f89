/*
title = "Common start and end of all values of a collectd reading"
grain = "one row per line of the files in which collectd writes the load of a host and its disks, one time series per file"
why = "collectd gives the values of one reading time stamps that differ by milliseconds. Values belong to one reading if each follows the previous one within a second, or within a quarter of the sampling interval if that is shorter. All values of a reading get the earliest start and end among them."
partition = "month"

[columns]
day = { type = "DATE", doc = "UTC day on which the sample starts, by the time in the line itself" }
file_id = { type = "VARCHAR", doc = "file" }
line_no = { type = "BIGINT", doc = "number of the line in file_id from which the row was made" }
from_at = { type = "TIMESTAMP", doc = "start of the sample, the same for all time series of one reading" }
to_at = { type = "TIMESTAMP", doc = "end of the sample, the same for all time series of one reading" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["file_id", "line_no"]
severity = "critical"
*/
WITH sampled AS (
    SELECT day, host, file_id, line_no, from_at, to_at FROM bronze.host_sample WHERE starts_with(tool, 'collectd_csv ')
    UNION ALL
    SELECT day, host, file_id, line_no, from_at, to_at FROM bronze.device_sample WHERE starts_with(tool, 'collectd_csv ')
),
begun AS (
    SELECT *, date_diff('microsecond', from_at, to_at) AS us,
           date_diff('microsecond', lag(to_at) OVER (PARTITION BY host, day ORDER BY to_at), to_at) AS after_us
    FROM sampled
),
numbered AS (
    SELECT *, count(*) FILTER (after_us IS NULL OR after_us > least(1000000, us // 4))
                  OVER (PARTITION BY host, day ORDER BY to_at) AS reading
    FROM begun
)
SELECT day, file_id, line_no, min(from_at) OVER same AS from_at, min(to_at) OVER same AS to_at
FROM numbered
WINDOW same AS (PARTITION BY host, day, reading, round(us / 1e6))
