/*
title = "Errors and outages of drives"
topic = "drives"
why = "Shows when each drive was out of service and which errors it had, with the log line of each event."
takes = ["first_day", "last_day", "drive"]

[params.n]
type = "BIGINT"
default = "5000"
doc = "maximum number of rows; the earliest of the period are kept"

[columns]
drive = { type = "VARCHAR", doc = "drive" }
kind = { type = "VARCHAR", doc = "outage (the drive was out of service), or a kind of event in silver.event" }
what = { type = "VARCHAR", doc = "kind of event in words" }
from_at = { type = "TIMESTAMP", doc = "time of the event, UTC. For an outage, its start, or start of the period if the outage began earlier" }
to_at = { type = "TIMESTAMP", doc = "end of the outage, or end of the period if the outage continued, UTC; NULL for an event without duration" }
lasted_hours = { type = "DOUBLE", unit = "h", doc = "for an outage: its hours within the period, where time that no log covers may be left out. For a failure, or a mount that hung or moved no data: the drive-hours that it cost. NULL for other events, and where this time is not known" }
volume = { type = "VARCHAR", doc = "tape label" }
error = { type = "VARCHAR", doc = "name of the error" }
path = { type = "VARCHAR", doc = "log file with the line that reports the event or the start of the outage" }
line_no = { type = "BIGINT", doc = "number of the line that reports the event or the start of the outage" }
message = { type = "VARCHAR", doc = "text of the line that reports the event or the start of the outage, at most 300 characters; NULL where the warehouse does not hold the text" }
end_path = { type = "VARCHAR", doc = "log file with the line that reports the end of the outage; NULL where no line does" }
end_line_no = { type = "BIGINT", doc = "number of the line that reports the end of the outage; NULL where no line does" }
end_message = { type = "VARCHAR", doc = "text of the line that reports the end of the outage, at most 300 characters; NULL where the warehouse does not hold the text" }
*/
WITH bound AS (
    SELECT day_begin($first_day, zone) AS begin_at, day_end($last_day, zone) AS end_at FROM site.setting
),
outage AS (
    -- an outage over midnight has a row in each day
    SELECT drive, 'outage' AS kind, min(from_at) AS from_at, max(to_at) AS to_at, sum(down_s) AS lasted_s, file_id, line_no,
           arg_max(end_file_id, to_at) AS end_file_id, arg_max(end_line_no, to_at) AS end_line_no
    FROM gold.drive_outage
    WHERE day BETWEEN $first_day AND $last_day AND $drive IN ('', drive)
    GROUP BY drive, file_id, line_no
),
event AS (
    SELECT e.* FROM silver.event e CROSS JOIN bound b
    WHERE near_days(e.day, $first_day, $last_day) AND e.happened_at >= b.begin_at AND e.happened_at < b.end_at
      AND e.drive IS NOT NULL AND $drive IN ('', e.drive)
),
happened AS (
    SELECT drive, kind, from_at, to_at, lasted_s, NULL AS volume, NULL AS error, file_id, line_no, end_file_id, end_line_no
    FROM outage
    UNION ALL
    SELECT e.drive, e.kind, e.happened_at, NULL, e.lost_s, e.volume, e.error, e.file_id, e.line_no, NULL, NULL
    FROM event e ANTI JOIN outage o ON o.drive = e.drive AND o.file_id = e.file_id AND o.line_no = e.line_no
),
first_ones AS (
    SELECT * FROM happened ORDER BY from_at, drive, kind, file_id, line_no LIMIT $n
),
border AS (
    SELECT drive, unnest([file_id, end_file_id]) AS file_id, unnest([line_no, end_line_no]) AS line_no FROM outage
),
kept AS (
    SELECT file_id, line_no, any_value(message) AS message FROM (
        SELECT file_id, line_no, message FROM silver.event WHERE near_days(day, $first_day, $last_day)
        UNION ALL
        SELECT m.file_id, m.line_no, m.message FROM silver.mover_step m SEMI JOIN border b USING (drive, file_id, line_no)
        WHERE near_days(m.day, $first_day - 34, $last_day + 34)
    ) GROUP BY file_id, line_no
)
SELECT h.drive, h.kind,
       CASE h.kind WHEN 'outage' THEN 'out of service' WHEN 'volume_no_access' THEN 'tape not accessible'
                   ELSE replace(h.kind, '_', ' ') END AS what,
       h.from_at, h.to_at, h.lasted_s / 3600 AS lasted_hours, h.volume, h.error, f.path, h.line_no, kept_text(k.message) AS message,
       g.path AS end_path, h.end_line_no, kept_text(l.message) AS end_message
FROM first_ones h
LEFT JOIN ops.file f ON f.file_id = h.file_id
LEFT JOIN ops.file g ON g.file_id = h.end_file_id
LEFT JOIN kept k ON k.file_id = h.file_id AND k.line_no = h.line_no
LEFT JOIN kept l ON l.file_id = h.end_file_id AND l.line_no = h.end_line_no
ORDER BY h.from_at, h.drive, h.kind, h.line_no
