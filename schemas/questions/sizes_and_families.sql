/*
title = "Drive time by file size and family"
topic = "requests"
why = "Shows how much drive time each storage group and family spends on files of each size. A small file can take almost as much drive time as a large one, although it holds little data."
takes = ["first_day", "last_day"]

[columns]
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment" }
file_family = { type = "VARCHAR", doc = "file family: files that share tapes, e.g. one data set" }
from_mb = { type = "DOUBLE", unit = "MB", doc = "lower end of the class of file sizes; its upper end is ten times as large" }
n_files = { type = "BIGINT", doc = "number of files whose transfer started in the period and was completed. Empty files and files without a logged drive time do not count" }
moved_tb = { type = "DOUBLE", unit = "TB", doc = "data of the files counted in n_files, including any part that moved after the end of the period" }
time_share = { type = "DOUBLE", unit = "1", doc = "drive time of the row's files / drive time of all files. The drive time of a file includes the gap before the file, but not the time in which the drive had no request" }
effective_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes of the row's files / their drive time, which includes the gaps before them" }
*/
WITH file AS (
    SELECT t.storage_group, t.file_family, pow(10, floor(log10(t.bytes / 1e6))) AS from_mb, t.bytes,
           t.drive_s + coalesce(g.gap_s - g.no_request_s, 0) AS taken_s
    FROM silver.transfer t
    LEFT JOIN silver.gap g ON g.system = t.system AND g.next_transfer_id = t.transfer_id
    CROSS JOIN site.setting c
    WHERE t.status = 'ok' AND t.bytes > 0 AND t.drive_s > 0
      AND near_days(t.day, $first_day, $last_day)
      AND in_days(t.started_at, $first_day, $last_day, c.zone)
)
SELECT storage_group, file_family, from_mb, count(*) AS n_files, sum(bytes) / 1e12 AS moved_tb,
       sum(taken_s) / sum(sum(taken_s)) OVER () AS time_share, sum(bytes) / 1e6 / sum(taken_s) AS effective_mb_s
FROM file
GROUP BY storage_group, file_family, from_mb
ORDER BY time_share DESC, storage_group, file_family, from_mb
