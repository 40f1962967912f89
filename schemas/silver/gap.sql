/*
title = "Gaps between files"
grain = "one row per pause between two transfers of the same mount, if the first transfer succeeded, the start and end of the pause were logged, and the log shows what the drive did between them"
why = "The drive does not stream in a pause between files. Each pause is divided into seven parts that do not overlap, such as file mark or tape motion."
partition = "day"
lineage = ["previous_file_id", "previous_line_no", "next_file_id", "next_line_no"]
features = ["D2", "G3"]

[columns]
day = { type = "DATE", doc = "UTC day of started_at" }
gap_id = { type = "VARCHAR", doc = "identifier of the gap, equal to the identifier of the transfer before it" }
session_id = { type = "VARCHAR", doc = "identifier of the mount" }
system = { type = "VARCHAR", doc = "archive system" }
station = { type = "VARCHAR", doc = "station for which the file after the gap was moved" }
drive = { type = "VARCHAR", doc = "drive" }
volume = { type = "VARCHAR", doc = "tape label" }
mode = { type = "VARCHAR", doc = "read or write: the mode of the transfer before the gap" }
next_transfer_id = { type = "VARCHAR", doc = "identifier of the transfer after the gap" }
started_at = { type = "TIMESTAMP", doc = "time of the last block of the file before the gap" }
ended_at = { type = "TIMESTAMP", doc = "time of the first block of the file after the gap" }
gap_s = { type = "DOUBLE", unit = "s", doc = "length of the gap: the sum of its seven parts" }
filemark_s = { type = "DOUBLE", unit = "s", doc = "part of the gap spent on flushing the buffer and writing the file mark" }
checksum_s = { type = "DOUBLE", unit = "s", doc = "part of the gap spent on reading a written file back to check it, as some sites do" }
database_s = { type = "DOUBLE", unit = "s", doc = "part of the gap spent on updating file and volume databases and on the last messages to the client" }
no_request_s = { type = "DOUBLE", unit = "s", doc = "part of the gap in which the drive had no request. Work was missing, so this time is not part of avoidable_s" }
request_s = { type = "DOUBLE", unit = "s", doc = "part of the gap spent on getting the next request, without the time in no_request_s. Enstore: messages between client, library manager and mover. CTA: the daemon's wait for its next task" }
client_s = { type = "DOUBLE", unit = "s", doc = "part of request_s before the client queued the next request; NULL where no log shows when the request was queued" }
position_s = { type = "DOUBLE", unit = "s", doc = "part of the gap spent on moving the tape" }
start_s = { type = "DOUBLE", unit = "s", doc = "part of the gap spent on connecting and starting the next transfer, without tape motion" }
is_next_ready = { type = "BOOLEAN", doc = "true if the file after the gap was already on the spool when the gap started. Where no log shows when a file was on the spool, it counts as ready in two cases: its request was already queued, or one client command wrote both this file and the previous one. NULL if the file after the gap is not written to tape" }
avoidable_s = { type = "DOUBLE", was = "judged_s", unit = "s", doc = "avoidable gap: database_s + request_s + start_s. Its normal value at the site is expected_gap_s in site.toml" }
rate_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "drive rate of the file before the gap: the bytes that each second of the gap could have moved" }
previous_file_id = { type = "VARCHAR", doc = "log file with the line about the last block before the gap" }
previous_line_no = { type = "BIGINT", doc = "number of the line in previous_file_id" }
next_file_id = { type = "VARCHAR", doc = "log file with the line about the start of the transfer after the gap" }
next_line_no = { type = "BIGINT", doc = "number of the line in next_file_id" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "gap_id"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "avoidable_s"
min_value = 0
severity = "critical"
*/
WITH pair AS (
    SELECT transfer_id AS gap_id, session_id, system, drive, volume, mode, status, ended_at AS started_at,
           bytes / nullif(drive_s, 0) AS rate_bytes_s, coalesce(end_file_id, file_id) AS previous_file_id,
           coalesce(end_line_no, line_no) AS previous_line_no,
           lead(transfer_id) OVER w AS next_transfer_id, lead(started_at) OVER w AS ended_at,
           lead(status) OVER w AS next_status, lead(station) OVER w AS station, lead(file_id) OVER w AS next_file_id,
           lead(line_no) OVER w AS next_line_no, lead(queued_at) OVER w AS next_queued_at, client,
           lead(mode) OVER w AS next_mode, lead(ready_at) OVER w AS next_ready_at, lead(client) OVER w AS next_client
    FROM silver.transfer
    -- a transfer that only the client or the accounting has no steps, so its gaps would have no parts
    WHERE session_id IS NOT NULL AND coalesce(regexp_matches(witnesses, 'mover|taped'), TRUE)
    WINDOW w AS (PARTITION BY system, session_id ORDER BY started_at, transfer_id)
),
part AS (
    SELECT p.gap_id, p.system, s.state, date_diff('microsecond', s.from_at, s.to_at) AS us,
           greatest(date_diff('microsecond', s.from_at, least(p.next_queued_at, s.to_at)), 0) AS unqueued_us
    FROM silver.drive_state s
    ASOF JOIN (SELECT * FROM pair WHERE ended_at IS NOT NULL) p
        ON s.system = p.system AND s.drive = p.drive AND s.from_at >= p.started_at
    WHERE s.to_at <= p.ended_at
),
summed AS (
    SELECT gap_id, system,
           coalesce(sum(us) FILTER (WHERE state = 'filemark'), 0) / 1e6 AS filemark_s,
           coalesce(sum(us) FILTER (WHERE state = 'checksum'), 0) / 1e6 AS checksum_s,
           coalesce(sum(us) FILTER (WHERE state = 'database'), 0) / 1e6 AS database_s,
           coalesce(sum(us) FILTER (WHERE state = 'no_request'), 0) / 1e6 AS no_request_s,
           coalesce(sum(us) FILTER (WHERE state = 'request'), 0) / 1e6 AS request_s,
           sum(unqueued_us) FILTER (WHERE state = 'request') / 1e6 AS client_s,
           coalesce(sum(us) FILTER (WHERE state = 'position'), 0) / 1e6 AS position_s,
           coalesce(sum(us) FILTER (WHERE state = 'start'), 0) / 1e6 AS start_s,
           bool_or(state NOT IN ('filemark', 'checksum', 'database', 'no_request', 'request', 'position', 'start'))
               AS is_odd
    FROM part GROUP BY gap_id, system
)
SELECT CAST(p.started_at AS DATE) AS day, p.gap_id, p.session_id, p.system, p.station, p.drive, p.volume, p.mode,
       p.next_transfer_id, p.started_at, p.ended_at,
       date_diff('microsecond', p.started_at, p.ended_at) / 1e6 AS gap_s,
       coalesce(filemark_s, 0) AS filemark_s, coalesce(checksum_s, 0) AS checksum_s, coalesce(database_s, 0) AS database_s,
       coalesce(no_request_s, 0) AS no_request_s, coalesce(request_s, 0) AS request_s,
       CASE WHEN p.next_queued_at IS NOT NULL THEN coalesce(client_s, 0) END AS client_s,
       coalesce(position_s, 0) AS position_s, coalesce(start_s, 0) AS start_s,
       CASE WHEN p.next_mode = 'write'
            THEN coalesce(p.next_ready_at <= p.started_at, p.next_queued_at <= p.started_at OR p.next_client = p.client, FALSE) END
           AS is_next_ready,
       coalesce(database_s, 0) + coalesce(request_s, 0) + coalesce(start_s, 0) AS avoidable_s,
       p.rate_bytes_s, p.previous_file_id, p.previous_line_no, p.next_file_id, p.next_line_no
FROM pair p LEFT JOIN summed s ON s.gap_id = p.gap_id AND s.system = p.system
WHERE p.status = 'ok' AND p.next_status IN ('ok', 'failed') AND p.ended_at >= p.started_at
  AND NOT coalesce(s.is_odd, FALSE)
