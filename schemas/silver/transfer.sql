/*
title = "Transfers"
grain = "one row per file moved to or from tape, and per try that moved data and failed or whose end was not logged"
why = "What the drives were bought for. The mover's lines give the times, the client's line and the ticket the names."
partition = "day"
lineage = ["file_id", "line_no", "end_file_id", "end_line_no"]
features = ["D1"]

[columns]
day = { type = "DATE", doc = "UTC day of started_at" }
transfer_id = { type = "VARCHAR", doc = "drive and instant of the try" }
system = { type = "VARCHAR", doc = "archive system" }
station = { type = "VARCHAR", doc = "host that stages the file: the encp client" }
drive = { type = "VARCHAR", doc = "drive" }
mover_host = { type = "VARCHAR", doc = "host of the mover" }
volume = { type = "VARCHAR", doc = "tape label" }
session_id = { type = "VARCHAR", doc = "mount it belongs to; NULL where no mover line saw it" }
mode = { type = "VARCHAR", doc = "read or write" }
file_number = { type = "BIGINT", doc = "number of the file on the volume" }
bytes = { type = "BIGINT", unit = "bytes", doc = "moved on tape, wrapper included" }
file_bytes = { type = "BIGINT", unit = "bytes", doc = "size of the user's file" }
unique_id = { type = "VARCHAR", doc = "request id" }
client = { type = "VARCHAR", doc = "client command: host and process" }
queued_at = { type = "TIMESTAMP", doc = "when the request was queued" }
ready_at = { type = "TIMESTAMP", doc = "when the file was whole on spool; NULL where no log says it" }
requested_at = { type = "TIMESTAMP", doc = "when the mover took the request" }
started_at = { type = "TIMESTAMP", doc = "first block handed to or from the drive" }
ended_at = { type = "TIMESTAMP", doc = "last block; for an incomplete one the edge of what was logged" }
completed_at = { type = "TIMESTAMP", doc = "the mover's transfer complete" }
drive_s = { type = "DOUBLE", unit = "s", doc = "time the drive worked, by drive_rate_basis" }
drive_rate_basis = { type = "VARCHAR", doc = "call (inside drive calls), block (the block loop) or encp (also file marks)" }
checksum_s = { type = "DOUBLE", unit = "s", doc = "checksum and buffer housekeeping" }
wait_data_s = { type = "DOUBLE", unit = "s", doc = "write: buffer empty, waiting for data" }
wait_room_s = { type = "DOUBLE", unit = "s", doc = "read: buffer full, waiting for room" }
storage_group = { type = "VARCHAR", doc = "storage group" }
file_family = { type = "VARCHAR", doc = "file family" }
status = { type = "VARCHAR", doc = "ok, failed or incomplete" }
error = { type = "VARCHAR", doc = "error name of a failed one" }
witnesses = { type = "VARCHAR", doc = "who saw it: mover, encp or both" }
file_id = { type = "VARCHAR", doc = "file of the line that started it" }
line_no = { type = "BIGINT", doc = "that line" }
end_file_id = { type = "VARCHAR", doc = "file of the line of the last block" }
end_line_no = { type = "BIGINT", doc = "that line" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "transfer_id"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "ended_at"
column_B = "started_at"
or_equal = true
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeInSet"
column = "drive_rate_basis"
value_set = ["call", "block", "encp"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "drive_s"
min_value = 0
severity = "critical"
*/
WITH any_try AS (
    SELECT system, drive, try_id,
           any_value(mover_host) AS mover_host,
           max(CASE WHEN kind IN ('started', 'data_ended', 'completed') THEN session_id END) AS session_id,
           max(CASE WHEN kind IN ('request', 'started', 'timing') THEN mode END) AS mode,
           max(CASE WHEN kind IN ('completed', 'failed', 'filemark', 'drive_stats') THEN volume END) AS volume,
           coalesce(max(CASE WHEN kind = 'drive_stats' THEN file_number END),
                    max(CASE WHEN kind = 'position' THEN file_number END)) AS file_number,
           coalesce(max(CASE WHEN kind = 'data_ended' THEN bytes END),
                    max(CASE WHEN kind = 'drive_stats' THEN bytes END)) AS bytes,
           max(file_bytes) AS file_bytes, max(unique_id) AS unique_id, max(volume_family) AS volume_family,
           max(CASE WHEN kind = 'ticket' THEN queued_at END) AS queued_at,
           min(CASE WHEN kind = 'request' THEN marked_at END) AS requested_at,
           min(CASE WHEN kind = 'started' THEN marked_at END) AS started_at,
           max(CASE WHEN kind = 'data_ended' THEN marked_at END) AS data_ended_at,
           max(CASE WHEN kind = 'completed' THEN marked_at END) AS completed_at,
           min(CASE WHEN kind = 'failed' THEN marked_at END) AS failed_at,
           min(marked_at) AS first_at, max(marked_at) AS last_at, bool_or(is_after_hole) AS is_after_hole,
           max(CASE WHEN kind = 'timing' THEN call_s END) AS call_s,
           max(CASE WHEN kind IN ('timing', 'drive_stats') THEN block_s END) AS block_s,
           max(CASE WHEN kind = 'timing' THEN checksum_s + space_s END) AS checksum_s,
           max(CASE WHEN kind = 'timing' THEN buffer_s + idle_s END) AS wait_s,
           max(CASE WHEN kind = 'failed' THEN error END) AS error,
           coalesce(arg_min(file_id, (day, seq)) FILTER (kind = 'started'), arg_min(file_id, (day, seq))) AS file_id,
           coalesce(arg_min(line_no, (day, seq)) FILTER (kind = 'started'), arg_min(line_no, (day, seq))) AS line_no,
           coalesce(arg_max(file_id, (day, seq)) FILTER (kind = 'data_ended'), arg_max(file_id, (day, seq)))
               AS end_file_id,
           coalesce(arg_max(line_no, (day, seq)) FILTER (kind = 'data_ended'), arg_max(line_no, (day, seq)))
               AS end_line_no
    FROM silver.mover_step
    GROUP BY system, drive, try_id
),
ordered AS (
    SELECT *, lead(first_at) OVER (PARTITION BY system, drive ORDER BY first_at) AS next_first_at FROM any_try
),
hole_after AS (
    SELECT t.system, t.drive, t.try_id, min(h.from_at) AS hole_after_at
    FROM ordered t JOIN silver.log_hole h
        ON h.system = t.system AND h.from_at >= t.last_at AND h.to_at <= t.next_first_at
    WHERE t.data_ended_at IS NULL AND t.failed_at IS NULL
    GROUP BY t.system, t.drive, t.try_id
),
hole_before AS (
    SELECT t.system, t.drive, t.try_id, max(h.to_at) AS hole_before_at
    FROM ordered t JOIN silver.log_hole h ON h.system = t.system AND h.to_at <= t.first_at
    WHERE t.is_after_hole AND t.started_at IS NULL
    GROUP BY t.system, t.drive, t.try_id
),
edged AS (
    SELECT t.*, a.hole_after_at, b.hole_before_at
    FROM ordered t
    LEFT JOIN hole_after a ON a.system = t.system AND a.drive = t.drive AND a.try_id = t.try_id
    LEFT JOIN hole_before b ON b.system = t.system AND b.drive = t.drive AND b.try_id = t.try_id
    WHERE t.started_at IS NOT NULL OR t.data_ended_at IS NOT NULL
),
encp AS (
    SELECT e.*, coalesce(a.station, split_part(regexp_extract(e.unique_id, '^(.*)-[0-9]+-[0-9]+-[0-9]+$', 1), '.', 1))
               AS station,
           coalesce(d.drive, regexp_replace(e.mover, '\.mover$', '')) AS drive
    FROM (SELECT * FROM bronze.enstore_log_encp
          QUALIFY row_number() OVER (
              PARTITION BY system, logged_at, host, pid, name, message_hash, nth ORDER BY file_id, line_no) = 1) e
    LEFT JOIN site.drive d ON d.mover = e.mover
    LEFT JOIN site.station_alias a
        ON a.alias = split_part(regexp_extract(e.unique_id, '^(.*)-[0-9]+-[0-9]+-[0-9]+$', 1), '.', 1)
),
client AS (
    -- one line per request id: a client that retried after the mover's success says it twice
    SELECT * FROM encp WHERE unique_id IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY system, unique_id, drive ORDER BY logged_at, line_no) = 1
),
seen AS (
    SELECT t.try_id AS transfer_id, t.system,
           coalesce(c.station, a.station,
                    split_part(regexp_extract(t.unique_id, '^(.*)-[0-9]+-[0-9]+-[0-9]+$', 1), '.', 1)) AS station,
           t.drive, t.mover_host, coalesce(t.volume, c.volume) AS volume, t.session_id, coalesce(t.mode, c.mode) AS mode,
           t.file_number, t.bytes, coalesce(t.file_bytes, c.file_bytes) AS file_bytes, t.unique_id,
           regexp_replace(t.unique_id, '^(.*)-[0-9]+-([0-9]+)-[0-9]+$', '\1 \2') AS client,
           t.queued_at, CAST(NULL AS TIMESTAMP) AS ready_at, t.requested_at,
           coalesce(t.started_at, t.hole_before_at, t.data_ended_at) AS started_at,
           coalesce(t.data_ended_at, t.failed_at, t.hole_after_at, t.started_at) AS ended_at,
           t.completed_at, coalesce(t.call_s, t.block_s) AS drive_s,
           CASE WHEN t.call_s IS NOT NULL THEN 'call' WHEN t.block_s IS NOT NULL THEN 'block' END AS drive_rate_basis,
           t.checksum_s, CASE WHEN t.mode = 'write' THEN t.wait_s END AS wait_data_s,
           CASE WHEN t.mode = 'read' THEN t.wait_s END AS wait_room_s,
           coalesce(c.storage_group, nullif(split_part(t.volume_family, '.', 1), '')) AS storage_group,
           nullif(split_part(t.volume_family, '.', 2), '') AS file_family,
           CASE WHEN t.failed_at IS NOT NULL THEN 'failed'
                WHEN t.started_at IS NULL OR t.data_ended_at IS NULL THEN 'incomplete'
                ELSE 'ok' END AS status,
           t.error, CASE WHEN c.unique_id IS NULL THEN 'mover' ELSE 'mover encp' END AS witnesses,
           t.file_id, t.line_no, t.end_file_id, t.end_line_no
    FROM edged t
    LEFT JOIN client c ON c.system = t.system AND c.unique_id = t.unique_id AND c.drive = t.drive
    LEFT JOIN site.station_alias a
        ON a.alias = split_part(regexp_extract(t.unique_id, '^(.*)-[0-9]+-[0-9]+-[0-9]+$', 1), '.', 1)
),
only_client AS (
    -- the mover's lines are missing: the client's rates must do
    SELECT concat_ws(' ', c.drive, strftime(c.logged_at, '%Y-%m-%dT%H:%M:%SZ'), c.unique_id) AS transfer_id, c.system,
           c.station, c.drive, CAST(NULL AS VARCHAR) AS mover_host, c.volume, CAST(NULL AS VARCHAR) AS session_id,
           c.mode, CAST(NULL AS BIGINT) AS file_number, c.file_bytes AS bytes, c.file_bytes, c.unique_id,
           regexp_replace(c.unique_id, '^(.*)-[0-9]+-([0-9]+)-[0-9]+$', '\1 \2') AS client,
           CAST(NULL AS TIMESTAMP) AS queued_at, CAST(NULL AS TIMESTAMP) AS ready_at,
           CAST(NULL AS TIMESTAMP) AS requested_at,
           c.logged_at - to_microseconds(CAST(round(1e6 * c.file_bytes / nullif(c.transfer_bytes_s, 0)) AS BIGINT))
               AS started_at,
           c.logged_at AS ended_at, c.logged_at AS completed_at,
           c.file_bytes / nullif(c.drive_bytes_s, 0) AS drive_s,
           CASE WHEN c.drive_bytes_s > 0 THEN 'encp' END AS drive_rate_basis,
           CAST(NULL AS DOUBLE) AS checksum_s, CAST(NULL AS DOUBLE) AS wait_data_s, CAST(NULL AS DOUBLE) AS wait_room_s,
           c.storage_group, CAST(NULL AS VARCHAR) AS file_family, 'ok' AS status, CAST(NULL AS VARCHAR) AS error,
           'encp' AS witnesses, c.file_id, c.line_no, c.file_id AS end_file_id,
           c.line_no AS end_line_no
    FROM client c
    WHERE c.transfer_bytes_s > 0
      AND NOT EXISTS (SELECT 1 FROM any_try t WHERE t.system = c.system AND t.unique_id = c.unique_id AND t.drive = c.drive)
)
SELECT CAST(started_at AS DATE) AS day, *
FROM (SELECT * FROM seen UNION ALL BY NAME SELECT * FROM only_client)
