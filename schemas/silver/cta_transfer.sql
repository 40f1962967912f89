/*
title = "CTA: transfers"
grain = "one row per log line about a file. A mount without such lines has one row for all its files together, if its final record shows that it moved data"
why = "Holds CTA's part of silver.transfer. The times of a file are computed from the file's log line."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of started_at" }
transfer_id = { type = "VARCHAR", doc = "identifier of the transfer: mount and number of the file on the volume. For further log lines about the same file, the number 2, 3, … is added. For a mount without lines about files, the identifier of the mount" }
system = { type = "VARCHAR", doc = "CTA instance" }
station = { type = "VARCHAR", doc = "disk system from which the file came or to which the file went. NULL for a file that CTA read only to verify it, and for a mount without lines about files" }
drive = { type = "VARCHAR", doc = "drive" }
mover_host = { type = "VARCHAR", doc = "tape server" }
volume = { type = "VARCHAR", doc = "tape label" }
session_id = { type = "VARCHAR", doc = "identifier of the mount in which the file was moved" }
mode = { type = "VARCHAR", doc = "read or write" }
file_number = { type = "BIGINT", doc = "place of the file on the volume (fSeq)" }
bytes = { type = "BIGINT", unit = "bytes", doc = "bytes moved to or from tape, including the file's labels on tape" }
file_bytes = { type = "BIGINT", unit = "bytes", doc = "size of the user's file; for a mount without lines about files, the total size of its files" }
unique_id = { type = "VARCHAR", doc = "identifier of the request: CTA instance and CTA's number of the file. Where a frontend logged the request, the time when it was queued is added. NULL for a mount without lines about files" }
queued_at = { type = "TIMESTAMP", doc = "when a frontend (CTA's server for requests) queued the request. If several requests match, the latest one before the transfer is used. NULL where no frontend logged the request. Also NULL if an earlier transfer had already served the request" }
ready_at = { type = "TIMESTAMP", doc = "for a write, equal to queued_at, because CTA gets a request only when the file is complete on disk; NULL for a read" }
requested_at = { type = "TIMESTAMP", doc = "when CTA's work on the file started; for a read, when positioning to the file started" }
started_at = { type = "TIMESTAMP", doc = "when CTA started to read or write the file on tape; for a write, equal to requested_at" }
ended_at = { type = "TIMESTAMP", doc = "time of the log line about the file. For a mount without such lines, computed from its final record" }
completed_at = { type = "TIMESTAMP", doc = "for a write, end of the next flush: from then on, the file is safe on tape. For a read, time of the log line about the file. NULL for a failed transfer, and for a write after which no flush was logged. For a mount without lines about files, equal to ended_at" }
drive_s = { type = "DOUBLE", unit = "s", doc = "time in calls that read or write the tape; NULL where a log collector has cut all times to whole seconds" }
drive_rate_basis = { type = "VARCHAR", doc = "basis of the drive rate: call; NULL where drive_s is NULL" }
position_s = { type = "DOUBLE", unit = "s", doc = "for reads: time to wind the tape to the file" }
checksum_s = { type = "DOUBLE", unit = "s", doc = "for writes: time to compute checksums; for reads, drive_s includes this time" }
wait_data_s = { type = "DOUBLE", unit = "s", doc = "for writes: time spent waiting for data from the disk system" }
wait_buffer_s = { type = "DOUBLE", unit = "s", doc = "for reads: time spent waiting for free memory" }
storage_group = { type = "VARCHAR", doc = "virtual organisation: the experiment or user group that owns the volume" }
file_family = { type = "VARCHAR", doc = "tape pool: the set of volumes to which this volume belongs" }
status = { type = "VARCHAR", doc = "ok or failed" }
error = { type = "VARCHAR", doc = "error message of a failed transfer" }
witnesses = { type = "VARCHAR", doc = "which log shows the transfer. taped: the tape daemon's line about the file. session: only the final record of the mount" }
file_id = { type = "VARCHAR", doc = "log file with the line about the file, or with the mount's final record (see witnesses)" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "transfer_id"]
severity = "critical"
*/
WITH line AS (
    -- a log may exist as text and as JSON: equal lines count once
    SELECT system, drive, mount_id, kind, file_seq, logged_at, file_id, line_no FROM bronze.cta_file
    QUALIFY row_number() OVER (
        PARTITION BY system, drive, mount_id, kind, file_seq, logged_at ORDER BY file_id, line_no) = 1
),
flushed AS (
    SELECT l.file_id, l.line_no, f.logged_at AS flushed_at
    FROM (SELECT * FROM line WHERE kind = 'written') l
    ASOF JOIN (SELECT DISTINCT system, drive, mount_id, logged_at FROM bronze.cta_step WHERE kind = 'flushed') f
        ON f.system = l.system AND f.drive = l.drive AND f.mount_id = l.mount_id AND f.logged_at >= l.logged_at
),
placed AS (
    SELECT file_id, line_no,
           row_number() OVER (PARTITION BY system, drive, mount_id, file_seq ORDER BY logged_at, file_id, line_no) AS nth,
           -- times are rounded: no file starts before the previous one ended
           lag(logged_at) OVER (PARTITION BY system, drive, mount_id ORDER BY logged_at, file_id, line_no) AS before_at
    FROM line
),
followed AS (
    SELECT l.*, f.flushed_at, p.nth, p.before_at,
           -- the motion is part of the total, whatever a damaged line has
           to_microseconds(CAST(round(1e6 * greatest(l.total_s, l.position_s, 0)) AS BIGINT)) AS total_time,
           to_microseconds(CAST(round(1e6 * greatest(l.position_s, 0)) AS BIGINT)) AS position_time
    FROM bronze.cta_file l
    JOIN placed p ON p.file_id = l.file_id AND p.line_no = l.line_no
    LEFT JOIN flushed f ON f.file_id = l.file_id AND f.line_no = l.line_no
),
queued AS (
    SELECT DISTINCT system, mode, archive_file_id, logged_at FROM bronze.cta_request
),
by_file AS (
    SELECT concat_ws(' ', m.session_id, f.file_seq, CASE WHEN f.nth > 1 THEN f.nth END) AS transfer_id, m.system,
           f.disk_host AS host, m.drive, m.mover_host, m.volume, m.session_id,
           coalesce(CASE f.kind WHEN 'read' THEN 'read' WHEN 'written' THEN 'write' END, m.mode) AS mode,
           f.file_seq AS file_number, f.bytes + coalesce(f.header_bytes, 0) AS bytes, f.bytes AS file_bytes,
           concat_ws(':', m.system, f.archive_file_id) AS unique_id, greatest(f.logged_at - f.total_time, f.before_at) AS requested_at,
           greatest(f.logged_at - f.total_time + f.position_time, f.before_at) AS started_at, f.logged_at AS ended_at,
           CASE f.kind WHEN 'written' THEN f.flushed_at WHEN 'read' THEN f.logged_at END AS completed_at,
           CASE WHEN NOT f.is_whole_seconds THEN f.read_write_s END AS drive_s, f.position_s, f.checksum_s, f.wait_data_s,
           f.wait_buffer_s, coalesce(m.storage_group, f.vo) AS storage_group,
           coalesce(m.file_family, f.tape_pool) AS file_family,
           CASE f.kind WHEN 'failed' THEN 'failed' ELSE 'ok' END AS status, left(f.error, 300) AS error,
           'taped' AS witnesses, f.file_id, f.line_no,
           -- no frontend has requests for what a repack reads
           CASE WHEN m.purpose <> 'repack' THEN f.archive_file_id END AS archive_file_id
    FROM followed f
    LEFT JOIN site.drive d ON d.logname = f.drive
    JOIN silver.cta_mount m
        ON m.system = f.system AND m.drive = coalesce(d.drive, f.drive) AND m.mount_id = f.mount_id
),
record AS (
    SELECT *, to_microseconds(CAST(round(1e6 * greatest(coalesce(read_write_s, 0) + coalesce(checksum_s, 0) + coalesce(wait_data_s, 0)
                                                         + coalesce(wait_buffer_s, 0) + coalesce(wait_report_s, 0), 0)) AS BIGINT)) AS moving_time
    FROM bronze.cta_session WHERE mount_id IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY system, drive, mount_id ORDER BY logged_at, file_id, line_no) = 1
),
by_record AS (
    SELECT m.session_id AS transfer_id, m.system, CAST(NULL AS VARCHAR) AS host, m.drive, m.mover_host, m.volume,
           m.session_id, m.mode, CAST(NULL AS BIGINT) AS file_number, r.bytes + coalesce(r.header_bytes, 0) AS bytes,
           r.bytes AS file_bytes, CAST(NULL AS VARCHAR) AS unique_id, m.positioned_at AS requested_at,
           m.positioned_at AS started_at, m.positioned_at + r.moving_time AS ended_at,
           m.positioned_at + r.moving_time AS completed_at,
           CASE WHEN NOT r.is_whole_seconds THEN r.read_write_s END AS drive_s, CAST(NULL AS DOUBLE) AS position_s,
           r.checksum_s, r.wait_data_s, r.wait_buffer_s, m.storage_group, m.file_family, 'ok' AS status,
           CAST(NULL AS VARCHAR) AS error, 'session' AS witnesses, r.file_id, r.line_no,
           CAST(NULL AS BIGINT) AS archive_file_id
    FROM record r
    LEFT JOIN site.drive d ON d.logname = r.drive
    JOIN silver.cta_mount m
        ON m.system = r.system AND m.drive = coalesce(d.drive, r.drive) AND m.mount_id = r.mount_id
    WHERE m.n_file_lines = 0 AND r.bytes > 0 AND m.positioned_at IS NOT NULL
),
moved AS (
    SELECT * FROM by_file UNION ALL SELECT * FROM by_record
),
asked AS (
    -- a file may be tried again until it is read, or safe on tape; no frontend has the request of a later transfer
    SELECT t.system, t.transfer_id, q.logged_at AS queued_at
    FROM (SELECT system, transfer_id, mode, archive_file_id, file_family, status, requested_at, completed_at
          FROM moved SEMI JOIN queued USING (system, mode, archive_file_id)) t
    ASOF JOIN queued q
        ON q.system = t.system AND q.mode = t.mode AND q.archive_file_id = t.archive_file_id AND q.logged_at <= t.requested_at
    QUALIFY t.requested_at <= coalesce(min(CASE WHEN t.status = 'ok' THEN t.completed_at END) OVER (
        PARTITION BY t.system, t.mode, t.archive_file_id, q.logged_at,
                     CASE WHEN t.mode = 'write' THEN t.file_family END), t.requested_at)
)
SELECT CAST(t.started_at AS DATE) AS day, t.transfer_id, t.system, coalesce(a.station, split_part(t.host, '.', 1)) AS station,
       t.drive, t.mover_host, t.volume, t.session_id, t.mode, t.file_number, t.bytes, t.file_bytes,
       t.unique_id || coalesce(strftime(q.queued_at, ' %Y-%m-%dT%H:%M:%S.%fZ'), '') AS unique_id, q.queued_at,
       CASE WHEN t.mode = 'write' THEN q.queued_at END AS ready_at, t.requested_at, t.started_at, t.ended_at, t.completed_at,
       t.drive_s, CASE WHEN t.drive_s IS NOT NULL THEN 'call' END AS drive_rate_basis, t.position_s, t.checksum_s,
       t.wait_data_s, t.wait_buffer_s, t.storage_group, t.file_family, t.status, t.error, t.witnesses, t.file_id, t.line_no
FROM moved t
LEFT JOIN asked q ON q.system = t.system AND q.transfer_id = t.transfer_id
LEFT JOIN site.station_alias a ON a.alias = split_part(t.host, '.', 1)
