/*
title = "Conditions under which each drive reached its peak rate"
topic = "drives"
why = "A peak rate depends on its conditions: a large file, no other writes to the disks, few active drives. Without these conditions, the drive cannot be expected to reach its peak rate."
takes = ["first_day", "last_day"]

[columns]
drive = { type = "VARCHAR", doc = "drive" }
mode = { type = "VARCHAR", doc = "read or write" }
drive_rate_basis = { type = "VARCHAR", doc = "basis of the drive rate: call (inside drive calls), block (with checksums and waits for the buffer) or encp (with waits for data and file marks)" }
peak_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest drive rate of a large file (500 MB or more) in this drive" }
p50_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median drive rate of the drive's large files, which is its usual rate" }
least_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "lowest drive rate of a large file in this drive" }
n_files = { type = "BIGINT", doc = "number of large files (500 MB or more) that the drive moved" }
started_at = { type = "TIMESTAMP", doc = "time of the first block of the file with the peak rate, UTC" }
station = { type = "VARCHAR", doc = "station that the file with the peak rate came from or went to" }
file_gb = { type = "DOUBLE", unit = "GB", doc = "size of the file with the peak rate" }
is_compressed = { type = "BOOLEAN", doc = "true if the peak rate exceeds the drive's native rate, which is possible only if the drive compresses the data; NULL where the native rate is not known" }
n_drives = { type = "BIGINT", doc = "number of drives, including this one, that moved data for the station while the file with the peak rate moved; NULL where no log shows the station" }
disk_write_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of writes to the station's disks while the file with the peak rate moved; NULL without samples" }
disk_read_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate of reads from the station's disks while the file with the peak rate moved; NULL without samples" }
file_id = { type = "VARCHAR", doc = "id of the log file that records the file with the peak rate" }
line_no = { type = "BIGINT", doc = "number of the line that records the file with the peak rate" }
*/
WITH best AS (
    SELECT *, quantile_cont(rate_mb_s, 0.5) OVER alike AS p50_mb_s, min(rate_mb_s) OVER alike AS least_mb_s,
           count(*) OVER alike AS n_files
    FROM gold.file_rate
    WHERE day BETWEEN $first_day AND $last_day AND drive IS NOT NULL
    WINDOW alike AS (PARTITION BY drive, mode, drive_rate_basis)
    QUALIFY row_number() OVER (PARTITION BY drive, mode, drive_rate_basis ORDER BY rate_mb_s DESC, transfer_id) = 1
),
concurrent AS (
    SELECT b.transfer_id, count(DISTINCT t.drive) AS n_drives
    FROM best b
    JOIN silver.transfer t ON t.station = b.station AND near_days(t.day, $first_day, $last_day)
                          AND t.day BETWEEN CAST(b.started_at AS DATE) - 1 AND CAST(b.ended_at AS DATE)
                          AND t.started_at < b.ended_at AND t.ended_at > b.started_at
    GROUP BY b.transfer_id
),
meanwhile AS (
    SELECT b.transfer_id, s.tool, s.read_bytes_s, s.write_bytes_s,
           date_diff('microsecond', greatest(s.from_at, b.started_at), least(s.to_at, b.ended_at)) AS us
    FROM best b
    JOIN silver.host_sample s ON s.host = b.station AND near_days(s.day, $first_day, $last_day)
                             AND s.day BETWEEN CAST(b.started_at AS DATE) - 1 AND CAST(b.ended_at AS DATE)
                             AND s.from_at < b.ended_at AND s.to_at > b.started_at AND s.write_bytes_s IS NOT NULL
),
sampled AS (
    -- of several tools, the one that covers most of the time
    SELECT transfer_id, sum(write_bytes_s * us) / sum(us) AS write_bytes_s, sum(read_bytes_s * us) / sum(us) AS read_bytes_s
    FROM meanwhile
    GROUP BY transfer_id, tool
    QUALIFY row_number() OVER (PARTITION BY transfer_id ORDER BY sum(us) DESC, tool) = 1
)
SELECT b.drive, b.mode, b.drive_rate_basis, b.rate_mb_s AS peak_mb_s, b.p50_mb_s, b.least_mb_s, b.n_files, b.started_at, b.station,
       b.bytes / 1e9 AS file_gb, b.rate_mb_s > d.nameplate_mb_s AS is_compressed, e.n_drives,
       s.write_bytes_s / 1e6 AS disk_write_mb_s, s.read_bytes_s / 1e6 AS disk_read_mb_s, b.file_id, b.line_no
FROM best b
LEFT JOIN concurrent e ON e.transfer_id = b.transfer_id
LEFT JOIN sampled s ON s.transfer_id = b.transfer_id
LEFT JOIN site.drive d ON d.drive = b.drive
ORDER BY b.drive, b.mode, b.drive_rate_basis
