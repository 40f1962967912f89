/*
title = "Examples of long gaps"
topic = "gaps"
why = "The two log lines around each gap prove it. The examples have the most frequent length of long gaps."
takes = ["first_day", "last_day", "station", "drive"]

[params.n]
type = "BIGINT"
default = "2"
doc = "number of examples for each station and drive"

[columns]
station = { type = "VARCHAR", doc = "station whose client ended the gap" }
drive = { type = "VARCHAR", doc = "drive" }
gap_id = { type = "VARCHAR", doc = "id of the gap, which is the id of the transfer before it" }
started_at = { type = "TIMESTAMP", doc = "last block of the file before the gap, UTC" }
ended_at = { type = "TIMESTAMP", doc = "first block of the file after the gap, UTC" }
gap_s = { type = "DOUBLE", unit = "s", doc = "whole gap" }
avoidable_s = { type = "DOUBLE", was = "judged_s", unit = "s", doc = "avoidable gap: time for databases, request and start" }
filemark_s = { type = "DOUBLE", unit = "s", doc = "time to write the file mark" }
checksum_s = { type = "DOUBLE", unit = "s", doc = "time to read the file back for its checksum" }
database_s = { type = "DOUBLE", unit = "s", doc = "time to update file and volume databases" }
no_request_s = { type = "DOUBLE", unit = "s", doc = "time without a request for the drive" }
request_s = { type = "DOUBLE", unit = "s", doc = "time of the dialogue until the next request reached the mover" }
client_s = { type = "DOUBLE", unit = "s", doc = "part of request_s in which the client had not yet queued the next request; NULL where no log shows when it did" }
position_s = { type = "DOUBLE", unit = "s", doc = "time of tape motion" }
start_s = { type = "DOUBLE", unit = "s", doc = "time to connect and to start the transfer" }
path = { type = "VARCHAR", doc = "log file of the line before the gap" }
next_path = { type = "VARCHAR", doc = "log file of the line after the gap" }
previous_line_no = { type = "BIGINT", doc = "line of the last block before the gap" }
next_line_no = { type = "BIGINT", doc = "line that starts the file after the gap" }
previous_message = { type = "VARCHAR", doc = "text of the line before the gap" }
next_message = { type = "VARCHAR", doc = "text of the line after the gap" }
*/
WITH long_gap AS (
    SELECT g.*, median(g.avoidable_s) OVER (PARTITION BY g.station, g.drive) AS usual_s
    FROM silver.gap g CROSS JOIN site.setting c
    WHERE in_days(g.started_at, $first_day, $last_day, c.zone)
      AND near_days(g.day, $first_day, $last_day)
      AND $station IN ('', g.station) AND $drive IN ('', g.drive)
      AND g.avoidable_s > c.expected_gap_s + rule_limit('long_gap', 'excess_s')
),
shown AS (
    SELECT * FROM long_gap
    QUALIFY row_number() OVER (
        PARTITION BY station, drive ORDER BY abs(avoidable_s - usual_s), started_at, gap_id) <= $n
),
line AS (
    SELECT previous_file_id AS file_id, previous_line_no AS line_no FROM shown
    UNION SELECT next_file_id, next_line_no FROM shown
),
told AS (
    -- a few of all lines of the period: with this join only the blocks that may hold them are read
    SELECT m.file_id, m.line_no, m.message
    FROM silver.mover_step m JOIN line l ON l.file_id = m.file_id AND l.line_no = m.line_no
    WHERE m.day >= $first_day - 1
)
SELECT s.station, s.drive, s.gap_id, s.started_at, s.ended_at, s.gap_s, s.avoidable_s, s.filemark_s, s.checksum_s, s.database_s,
       s.no_request_s, s.request_s, s.client_s,
       s.position_s, s.start_s, f.path, e.path AS next_path, s.previous_line_no,
       s.next_line_no, p.message AS previous_message, n.message AS next_message
FROM shown s
LEFT JOIN ops.file f ON f.file_id = s.previous_file_id
LEFT JOIN ops.file e ON e.file_id = s.next_file_id
LEFT JOIN told p ON p.file_id = s.previous_file_id AND p.line_no = s.previous_line_no
LEFT JOIN told n ON n.file_id = s.next_file_id AND n.line_no = s.next_line_no
ORDER BY s.station, s.drive, abs(s.avoidable_s - s.usual_s), s.started_at
