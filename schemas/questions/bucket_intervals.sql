/*
title = "Which intervals make up a bucket of drive time?"
topic = "hours"
why = "Buckets divide a drive's day by what the drive did. This lists the longest intervals of a bucket. Each interval is listed with its mount, its file, and the log lines at its start and end, where these are known."

[params.last_day]
type = "DATE"
doc = "site day; default: the last day with data"

[params.drive]
type = "VARCHAR"
doc = "drive"

[params.bucket]
type = "VARCHAR"
default = "between_files"
doc = "name of a bucket in gold.drive_ledger, or of a group of buckets in gold.drive_time_bucket"

[params.session]
type = "VARCHAR"
default = ""
doc = "session_id of one mount; default: all mounts, and intervals without a mount"

[params.n]
type = "BIGINT"
default = 20
doc = "maximum number of intervals; the longest come first"

[columns]
bucket = { type = "VARCHAR", doc = "bucket of drive time to which the interval belongs" }
bucket_words = { type = "VARCHAR", doc = "name of the bucket in words" }
from_at = { type = "TIMESTAMP", doc = "start of the interval, UTC. Time before the day (last_day) is cut off. Time that no log covers is cut off too; it is in the bucket unknown. For a wait or checksum inside a transfer: start of the transfer" }
to_at = { type = "TIMESTAMP", doc = "end of the interval, UTC. Time after the day (last_day) is cut off. Time that no log covers is cut off too; it is in the bucket unknown. For a wait or checksum inside a transfer: end of the transfer" }
interval_s = { type = "DOUBLE", unit = "s", doc = "length of the interval within the day (last_day). For a wait or checksum inside a transfer: total time of such waits or checksums in the transfer. For the transfer itself: its duration less waits and checksums" }
session_id = { type = "VARCHAR", doc = "id of the mount to which the interval belongs; NULL where it belongs to no mount, or no log shows the mount" }
volume = { type = "VARCHAR", doc = "label of the mounted tape; NULL where session_id is NULL, and where no log names the tape" }
session_s = { type = "DOUBLE", unit = "s", doc = "total time that the mount spent in the chosen bucket or group on the day (last_day). Where session_id is NULL: total time of all intervals without a mount" }
session_n = { type = "BIGINT", doc = "number of intervals of the mount in the chosen bucket or group on the day (last_day). Where session_id is NULL: number of all intervals without a mount" }
transfer_id = { type = "VARCHAR", doc = "id of the transfer that the mover worked on when the interval began; NULL without such a transfer" }
mode = { type = "VARCHAR", doc = "read or write" }
file_number = { type = "BIGINT", doc = "position of the transferred file on the tape, counted in files" }
station = { type = "VARCHAR", doc = "station that the transferred file came from or went to" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "size of the transferred file" }
path = { type = "VARCHAR", doc = "log file with the line at which the interval starts; NULL where no line shows the start" }
line_no = { type = "BIGINT", doc = "number of the line at which the interval starts; NULL where no line shows the start" }
message = { type = "VARCHAR", doc = "text of the line at which the interval starts, at most 300 characters; NULL where the warehouse does not hold the text" }
end_path = { type = "VARCHAR", doc = "log file with the line at which the interval ends; NULL where no line shows the end" }
end_line_no = { type = "BIGINT", doc = "number of the line at which the interval ends; NULL where no line shows the end" }
end_message = { type = "VARCHAR", doc = "text of the line at which the interval ends, at most 300 characters; NULL where the warehouse does not hold the text" }
n_intervals = { type = "BIGINT", doc = "number of all intervals of the chosen drive, day, bucket (or group) and mount, listed or not" }
all_s = { type = "DOUBLE", unit = "s", doc = "total time of the intervals counted in n_intervals" }
ledger_s = { type = "DOUBLE", unit = "s", doc = "time that the drive spent in the chosen bucket or group on the day (last_day), from gold.drive_ledger" }
*/
WITH asked AS (
    SELECT (SELECT list(bucket) FROM gold.drive_time_bucket WHERE $bucket IN (bucket, time_group)) AS buckets,
           day_begin($last_day, zone) AS begin_at, day_end($last_day, zone) AS end_at
    FROM site.setting
),
covered AS (
    SELECT greatest(l.from_at, w.begin_at) AS from_at, least(l.to_at, w.end_at) AS to_at
    FROM silver.drive_coverage l CROSS JOIN asked w
    WHERE l.drive = $drive AND l.to_at > w.begin_at AND l.from_at < w.end_at
      AND near_days(l.day, $last_day, $last_day)
),
numbered AS (
    SELECT *, sum(is_apart) OVER (ORDER BY from_at, to_at ROWS UNBOUNDED PRECEDING) AS run
    FROM (
        SELECT *, CASE WHEN lag(to_at) OVER (ORDER BY from_at, to_at) = from_at THEN 0 ELSE 1 END AS is_apart FROM covered
    )
),
logged AS (
    -- coverage is cut at UTC midnight: adjacent intervals are one
    SELECT min(from_at) AS from_at, max(to_at) AS to_at FROM numbered GROUP BY run
),
stated AS (
    SELECT d.*, lead(d.from_at) OVER w AS next_at, lead(d.file_id) OVER w AS next_file_id,
           lead(d.line_no) OVER w AS next_line_no
    FROM silver.drive_state d CROSS JOIN asked n
    WHERE d.drive = $drive AND d.to_at > n.begin_at - INTERVAL 1 DAY AND d.from_at < n.end_at + INTERVAL 1 DAY
      AND span_near_days(d.from_at, d.to_at, $last_day - 2, $last_day + 1)
    WINDOW w AS (ORDER BY d.from_at, d.to_at, d.file_id, d.line_no)
),
piece AS (
    SELECT d.state, greatest(d.from_at, s.from_at) AS from_at, least(d.to_at, s.to_at) AS to_at, d.session_id, d.attempt_id,
           d.file_id, d.line_no,
           CASE WHEN d.next_at = d.to_at THEN d.next_file_id END AS end_file_id,
           CASE WHEN d.next_at = d.to_at THEN d.next_line_no END AS end_line_no
    FROM stated d JOIN logged s ON d.from_at < s.to_at AND d.to_at > s.from_at
),
edge AS (
    -- a covered time with its states, to find the time between them: the drive is idle there
    SELECT s.from_at AS run, p.from_at, p.to_at FROM logged s JOIN piece p ON p.from_at >= s.from_at AND p.to_at <= s.to_at
    UNION ALL SELECT from_at, from_at, from_at FROM logged
    UNION ALL SELECT from_at, to_at, to_at FROM logged
),
rest AS (
    SELECT 'idle' AS bucket, max(to_at) OVER (PARTITION BY run ORDER BY from_at, to_at
                                              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS from_at,
           from_at AS to_at
    FROM edge
    UNION ALL
    SELECT 'unknown', max(to_at) OVER (ORDER BY from_at, to_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), from_at
    FROM (
        SELECT from_at, to_at FROM logged
        UNION ALL SELECT begin_at, begin_at FROM asked
        UNION ALL SELECT end_at, end_at FROM asked
    )
),
waited AS (
    SELECT p.from_at, p.to_at, p.session_id, p.attempt_id, t.file_id, t.line_no, t.end_file_id, t.end_line_no,
           -- for a transfer over midnight the part within the day
           date_diff('microsecond', t.started_at, t.ended_at) / 1e6 AS whole_s,
           date_diff('microsecond', p.from_at, p.to_at) / 1e6 / whole_s AS share,
           -- as in gold.drive_ledger, one after the other and never more than the transfer
           least(coalesce(t.wait_data_s, 0), whole_s) AS to_data_s,
           least(coalesce(t.wait_data_s, 0) + coalesce(t.wait_buffer_s, 0), whole_s) AS to_room_s,
           least(coalesce(t.wait_data_s, 0) + coalesce(t.wait_buffer_s, 0) + coalesce(t.checksum_s, 0), whole_s) AS to_checksum_s
    FROM piece p JOIN silver.transfer t ON t.transfer_id = p.attempt_id AND t.drive = $drive AND t.ended_at > t.started_at
        AND span_near_days(t.started_at, t.ended_at, $last_day, $last_day)
    WHERE p.state = 'transfer'
),
found AS (
    SELECT state AS bucket, from_at, to_at,
           date_diff('microsecond', from_at, to_at) / 1e6 - CASE WHEN state <> 'transfer' THEN 0 ELSE coalesce((
               SELECT least(date_diff('microsecond', p.from_at, p.to_at) / 1e6,
                            w.share * w.to_checksum_s)
               FROM waited w WHERE w.attempt_id = p.attempt_id AND w.from_at = p.from_at), 0) END AS interval_s,
           session_id, attempt_id, file_id, line_no, end_file_id, end_line_no
    FROM piece p
    UNION ALL SELECT 'wait_data', from_at, to_at, share * to_data_s, session_id, attempt_id, file_id, line_no, end_file_id, end_line_no FROM waited
    UNION ALL SELECT 'wait_room', from_at, to_at, share * (to_room_s - to_data_s), session_id, attempt_id, file_id, line_no, end_file_id, end_line_no FROM waited
    UNION ALL SELECT 'checksum', from_at, to_at, share * (to_checksum_s - to_room_s), session_id, attempt_id, file_id, line_no, end_file_id, end_line_no FROM waited
    UNION ALL
    SELECT bucket, from_at, to_at, date_diff('microsecond', from_at, to_at) / 1e6, NULL, NULL, NULL, NULL, NULL, NULL
    FROM rest WHERE to_at > from_at
),
chosen AS (
    SELECT f.*, count(*) OVER () AS n_intervals, sum(interval_s) OVER () AS all_s,
           count(*) OVER (PARTITION BY session_id) AS session_n, sum(interval_s) OVER (PARTITION BY session_id) AS session_s
    FROM found f CROSS JOIN asked w
    WHERE list_contains(w.buckets, f.bucket) AND f.interval_s > 0 AND $session IN ('', f.session_id)
),
longest AS (
    SELECT * FROM chosen ORDER BY interval_s DESC, from_at, bucket LIMIT $n
),
step AS (
    -- the lines at which an idle time starts and ends
    SELECT marked_at, arg_max(file_id, seq) AS file_id, arg_max(line_no, seq) AS line_no,
           arg_min(file_id, seq) AS first_file_id, arg_min(line_no, seq) AS first_line_no
    FROM silver.mover_step m CROSS JOIN asked w
    WHERE drive = $drive AND m.day BETWEEN CAST(w.begin_at AS DATE) AND CAST(w.end_at AS DATE)
    GROUP BY marked_at
),
lined AS (
    SELECT l.* EXCLUDE (file_id, line_no, end_file_id, end_line_no), coalesce(l.file_id, b.file_id) AS file_id,
           CASE WHEN l.file_id IS NULL THEN b.line_no ELSE l.line_no END AS line_no,
           coalesce(l.end_file_id, e.first_file_id) AS end_file_id,
           CASE WHEN l.end_file_id IS NULL THEN e.first_line_no ELSE l.end_line_no END AS end_line_no
    FROM longest l LEFT JOIN step b ON b.marked_at = l.from_at LEFT JOIN step e ON e.marked_at = l.to_at
),
-- A few of all lines and files: with this join only the blocks that may hold them are read. A drive may be down, or a request wait, for weeks; lines further away are not searched.
quoted AS (
    SELECT m.file_id, m.line_no, m.message
    FROM silver.mover_step m
    JOIN (SELECT file_id, line_no FROM lined UNION SELECT end_file_id, end_line_no FROM lined) w
        ON w.file_id = m.file_id AND w.line_no = m.line_no
    WHERE m.drive = $drive AND near_days(m.day, $last_day - 34, $last_day + 34)
),
moved AS (
    SELECT t.transfer_id, t.mode, t.file_number, t.station, t.bytes
    FROM silver.transfer t JOIN (SELECT DISTINCT attempt_id FROM lined) w ON w.attempt_id = t.transfer_id
    WHERE t.drive = $drive AND near_days(t.day, $last_day - 34, $last_day + 34)
)
SELECT l.bucket, k.bucket_words, l.from_at, l.to_at, l.interval_s, l.session_id, s.volume, l.session_s, l.session_n,
       t.transfer_id, t.mode, t.file_number, t.station, t.bytes / 1e9 AS volume_gb, f.path, l.line_no, kept_text(m.message) AS message, g.path AS end_path, l.end_line_no,
       kept_text(o.message) AS end_message, l.n_intervals, l.all_s,
       (SELECT sum(duration_us) / 1e6 FROM gold.drive_ledger g CROSS JOIN asked w
        WHERE g.day = $last_day AND g.drive = $drive AND list_contains(w.buckets, g.bucket)) AS ledger_s
FROM lined l
JOIN gold.drive_time_bucket k ON k.bucket = l.bucket
LEFT JOIN silver.session s ON s.session_id = l.session_id AND s.drive = $drive
    AND near_days(s.day, $last_day - 34, $last_day + 34)
LEFT JOIN moved t ON t.transfer_id = l.attempt_id
LEFT JOIN ops.file f ON f.file_id = l.file_id
LEFT JOIN ops.file g ON g.file_id = l.end_file_id
LEFT JOIN quoted m ON m.file_id = l.file_id AND m.line_no = l.line_no
LEFT JOIN quoted o ON o.file_id = l.end_file_id AND o.line_no = l.end_line_no
ORDER BY l.interval_s DESC, l.from_at, l.bucket
