/*
title = "Examples of long gaps"
topic = "gaps"
why = "Shows single long gaps (defined in the question gap_cost), each with the two log lines that prove it. Examples are typical for their station and drive: their avoidable parts are closest to the median of all long gaps there."
takes = ["first_day", "last_day", "station", "drive"]

[params.n]
type = "BIGINT"
default = "2"
doc = "maximum number of examples for each station and drive"

[columns]
station = { type = "VARCHAR", doc = "station for which the file after the gap was moved" }
drive = { type = "VARCHAR", doc = "drive" }
gap_id = { type = "VARCHAR", doc = "id of the gap, equal to the id of the transfer before it" }
started_at = { type = "TIMESTAMP", doc = "start of the gap: last block of the file before it, UTC" }
ended_at = { type = "TIMESTAMP", doc = "end of the gap: first block of the file after it, UTC" }
gap_s = { type = "DOUBLE", unit = "s", doc = "length of the gap, including its unavoidable parts" }
avoidable_s = { type = "DOUBLE", was = "judged_s", unit = "s", doc = "avoidable part of the gap: time for database updates, the next request, and the start of the next transfer" }
filemark_s = { type = "DOUBLE", unit = "s", doc = "part of the gap in which the file mark was written" }
checksum_s = { type = "DOUBLE", unit = "s", doc = "part of the gap in which the file was read back for its checksum" }
database_s = { type = "DOUBLE", unit = "s", doc = "part of the gap in which the databases of files and tapes were updated" }
no_request_s = { type = "DOUBLE", unit = "s", doc = "part of the gap in which there was no request for the drive" }
request_s = { type = "DOUBLE", unit = "s", doc = "part of the gap spent on getting the next request (messages between client, server and mover), without the time in no_request_s" }
client_s = { type = "DOUBLE", unit = "s", doc = "part of request_s before the client queued the next request; NULL where no log shows when the request was queued" }
position_s = { type = "DOUBLE", unit = "s", doc = "part of the gap in which the tape wound to the next file" }
start_s = { type = "DOUBLE", unit = "s", doc = "part of the gap spent on connecting and starting the next transfer, without tape motion" }
path = { type = "VARCHAR", doc = "log file with the line that records the last block before the gap" }
next_path = { type = "VARCHAR", doc = "log file with the line that records the start of the file after the gap" }
previous_line_no = { type = "BIGINT", doc = "number of the line in `path` that records the last block before the gap" }
next_line_no = { type = "BIGINT", doc = "number of the line in `next_path` that records the start of the file after the gap" }
previous_message = { type = "VARCHAR", doc = "text of the line previous_line_no in `path`, at most 300 characters; NULL where the warehouse does not hold the text" }
next_message = { type = "VARCHAR", doc = "text of the line next_line_no in `next_path`, at most 300 characters; NULL where the warehouse does not hold the text" }
*/
WITH long_gap AS (
    SELECT g.day, g.system, g.gap_id, g.station, g.drive, g.started_at, g.avoidable_s
    FROM silver.gap g CROSS JOIN site.setting c
    WHERE in_days(g.started_at, $first_day, $last_day, c.zone)
      AND near_days(g.day, $first_day, $last_day)
      AND $station IN ('', g.station) AND $drive IN ('', g.drive)
      AND g.avoidable_s > c.expected_gap_s + rule_limit('long_gap', 'excess_s')
),
usual AS (
    SELECT station, drive, median(avoidable_s) AS usual_s FROM long_gap GROUP BY station, drive
),
few AS (
    -- the first few of each drive, without sorting all of them
    SELECT unnest(arg_min(l, (abs(l.avoidable_s - u.usual_s), l.started_at, l.gap_id), $n), recursive := TRUE),
           any_value(u.usual_s) AS usual_s
    FROM long_gap l JOIN usual u ON u.station IS NOT DISTINCT FROM l.station AND u.drive IS NOT DISTINCT FROM l.drive
    GROUP BY l.station, l.drive
),
shown AS (
    SELECT g.*, f.usual_s
    FROM silver.gap g JOIN few f ON f.day = g.day AND f.system = g.system AND f.gap_id = g.gap_id
    WHERE near_days(g.day, $first_day, $last_day)
),
line AS (
    SELECT previous_file_id AS file_id, previous_line_no AS line_no FROM shown
    UNION SELECT next_file_id, next_line_no FROM shown
),
quoted AS (
    -- a few of all lines of the period: with this join only the blocks that may hold them are read
    SELECT m.file_id, m.line_no, m.message
    FROM silver.mover_step m JOIN line l ON l.file_id = m.file_id AND l.line_no = m.line_no
    WHERE m.day >= $first_day - 1
)
SELECT s.station, s.drive, s.gap_id, s.started_at, s.ended_at, s.gap_s, s.avoidable_s, s.filemark_s, s.checksum_s, s.database_s,
       s.no_request_s, s.request_s, s.client_s,
       s.position_s, s.start_s, f.path, e.path AS next_path, s.previous_line_no,
       s.next_line_no, kept_text(p.message) AS previous_message, kept_text(n.message) AS next_message
FROM shown s
LEFT JOIN ops.file f ON f.file_id = s.previous_file_id
LEFT JOIN ops.file e ON e.file_id = s.next_file_id
LEFT JOIN quoted p ON p.file_id = s.previous_file_id AND p.line_no = s.previous_line_no
LEFT JOIN quoted n ON n.file_id = s.next_file_id AND n.line_no = s.next_line_no
ORDER BY s.station, s.drive, abs(s.avoidable_s - s.usual_s), s.started_at
