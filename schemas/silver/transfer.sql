/*
title = "Transfers"
grain = "one row per file that was moved to or from tape. An attempt that moved data but failed, or whose end was not logged, also has a row. Where no log shows single files, one row has all data of a mount or session (see witnesses)"
why = "Shows the useful work of the drives. For Enstore, times come from the mover's log lines; where these are missing, from the client's records. Station, storage group and file family come from the request's ticket, the client's log line and the client's row in the accounting."
partition = "day"
lineage = ["file_id", "line_no", "end_file_id", "end_line_no"]
features = ["D1"]

[columns]
day = { type = "DATE", doc = "UTC day of started_at" }
transfer_id = { type = "VARCHAR", doc = "identifier of the transfer. If a mover logged the transfer, the identifier consists of the drive and the time of the attempt" }
system = { type = "VARCHAR", doc = "archive system" }
station = { type = "VARCHAR", doc = "host or disk system that sent or received the file: the host of the encp or TSM client, or CTA's disk system" }
drive = { type = "VARCHAR", doc = "drive" }
mover_host = { type = "VARCHAR", doc = "host on which the mover runs" }
volume = { type = "VARCHAR", doc = "tape label" }
session_id = { type = "VARCHAR", doc = "identifier of the mount in which the file was moved. NULL if no source has the mount. Also NULL if only the client recorded the transfer, although a mover's log shows the mount" }
mode = { type = "VARCHAR", doc = "read or write" }
file_number = { type = "BIGINT", doc = "number of the file on the volume" }
bytes = { type = "BIGINT", unit = "bytes", doc = "bytes moved to or from tape, including the wrapper (Enstore's file format on tape) or CTA's labels. If only the client recorded the transfer: file_bytes" }
file_bytes = { type = "BIGINT", unit = "bytes", doc = "size of the user's file" }
unique_id = { type = "VARCHAR", doc = "request id" }
client = { type = "VARCHAR", doc = "Enstore client command that requested the file: its host and process id" }
queued_at = { type = "TIMESTAMP", doc = "when the request was queued. Without a line of the mover: when the client started, according to the request id" }
ready_at = { type = "TIMESTAMP", doc = "when the file to be written was complete on disk, ready for tape; NULL where no log shows it" }
requested_at = { type = "TIMESTAMP", doc = "when the mover took the request; where no mover line exists, computed from the client's overall rate" }
started_at = { type = "TIMESTAMP", doc = "time of the first block to or from the drive. If this was not logged: end of the hole in the log that hides it; without a hole, time of the last block. If only the client recorded the transfer: the end that it recorded minus the duration (bytes ÷ transfer rate; without this rate, from another rate). For CTA, see silver.cta_transfer. If witnesses is `server` or `counter`: start of the mount, session or stretch of use whose data the row has" }
ended_at = { type = "TIMESTAMP", doc = "time of the last block. If this was not logged, the first known of these: time of the failure, start of the hole in the log, started_at. Where no mover line exists: the end that the client recorded. With the witness server or counter: end of the mount, session or use whose data the row has" }
completed_at = { type = "TIMESTAMP", doc = "when the mover logged that the transfer was complete. For CTA, see silver.cta_transfer. For other transfers without a mover's log, equal to ended_at" }
drive_s = { type = "DOUBLE", unit = "s", doc = "time that the drive worked on the file, measured as drive_rate_basis defines it" }
drive_rate_basis = { type = "VARCHAR", doc = "how drive_s was measured. call: time inside drive calls. block: time in the loop over blocks. encp: computed from the client's drive rate, which includes waits for data and file marks. counter: time in reads or writes, as the kernel counted it. estimate: duration of the TSM session minus its waits for media, client and network" }
checksum_s = { type = "DOUBLE", unit = "s", doc = "time spent on checksums and buffer management during the transfer" }
wait_data_s = { type = "DOUBLE", unit = "s", doc = "for writes: time in which the buffer was empty and the drive waited for data" }
wait_buffer_s = { type = "DOUBLE", was = "wait_room_s", unit = "s", doc = "for reads: time in which the buffer was full and the drive waited for room" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the file, e.g. an experiment. For CTA the virtual organisation; for TSM the node or storage pool" }
file_family = { type = "VARCHAR", doc = "file family: files that share tapes, e.g. one data set; for CTA the tape pool" }
status = { type = "VARCHAR", doc = "ok, failed, or incomplete (the log lacks the first or last block)" }
error = { type = "VARCHAR", doc = "name or message of the error of a failed transfer" }
witnesses = { type = "VARCHAR", doc = "source of the transfer; several are separated by spaces. mover: the mover's log. encp: the client's log line. table: the client's row in the accounting. taped: CTA's tape daemon. session: CTA's final record of a mount, with all its files in one row. server: data of a TSM session in a mount, or of a mount that a library or the drive's SCSI pages show. counter: the kernel's counters of the drive, per UTC day and mount (or stretch of use). With server and counter, reads and writes have one row each. A mount's data come from TSM if TSM has all of them, otherwise from counters, otherwise from the library. Where other data exist, counters must cover 95 % of the mount" }
file_id = { type = "VARCHAR", doc = "log file with the line about the start of the transfer" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }
end_file_id = { type = "VARCHAR", doc = "log file with the line about the last block; NULL or equal to file_id where one line has both start and end" }
end_line_no = { type = "BIGINT", doc = "number of the line in end_file_id" }

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
value_set = ["call", "block", "encp", "counter", "estimate"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "drive_s"
min_value = 0
severity = "critical"
*/
WITH any_try AS (
    SELECT system, drive, attempt_id,
           min(mover_host) AS mover_host,
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
    GROUP BY system, drive, attempt_id
),
ordered AS (
    SELECT *, lead(first_at) OVER (PARTITION BY system, drive ORDER BY first_at) AS next_first_at FROM any_try
),
hole_after AS (
    SELECT t.system, t.drive, t.attempt_id, min(h.from_at) AS hole_after_at
    FROM ordered t JOIN silver.coverage_gap h
        ON h.host = t.system AND h.from_at >= t.last_at AND h.to_at <= t.next_first_at
    WHERE t.data_ended_at IS NULL AND t.failed_at IS NULL
    GROUP BY t.system, t.drive, t.attempt_id
),
hole_before AS (
    SELECT t.system, t.drive, t.attempt_id, max(h.to_at) AS hole_before_at
    FROM ordered t JOIN silver.coverage_gap h ON h.host = t.system AND h.to_at <= t.first_at
    WHERE t.is_after_hole AND t.started_at IS NULL
    GROUP BY t.system, t.drive, t.attempt_id
),
edged AS (
    SELECT t.*, a.hole_after_at, b.hole_before_at
    FROM ordered t
    LEFT JOIN hole_after a ON a.system = t.system AND a.drive = t.drive AND a.attempt_id = t.attempt_id
    LEFT JOIN hole_before b ON b.system = t.system AND b.drive = t.drive AND b.attempt_id = t.attempt_id
    WHERE t.started_at IS NOT NULL OR t.data_ended_at IS NOT NULL
),
line AS (
    SELECT * FROM bronze.enstore_log_encp
    QUALIFY row_number() OVER (
        PARTITION BY system, logged_at, host, pid, name, message_hash, nth ORDER BY file_id, line_no) = 1
),
account AS (
    -- exports overlap; disks and null movers are not tape
    SELECT * FROM bronze.enstore_accounting_transfer
    WHERE coalesce(driver, '') NOT IN ('DiskDriver', 'NullDriver') AND volume NOT LIKE '%:%'
    QUALIFY row_number() OVER (
        PARTITION BY system, ended_at, unique_id, mover, volume, mode, source_path, target_path, file_bytes
        ORDER BY file_id, line_no) = 1
),
spoken AS (
    SELECT 'encp' AS witness, system, logged_at AS reported_at, unique_id, mover, volume, mode, file_bytes,
           storage_group, NULL AS file_family, NULL AS node, NULL AS mover_host, elapsed_s, overall_bytes_s,
           network_bytes_s, drive_bytes_s, transfer_bytes_s, file_id, line_no
    FROM line
    UNION ALL BY NAME
    SELECT 'table' AS witness, system, ended_at AS reported_at, unique_id, mover, volume, mode, file_bytes, storage_group,
           file_family, host AS node, mover_host, elapsed_s, overall_bytes_s, network_bytes_s, drive_bytes_s,
           transfer_bytes_s, file_id, line_no
    FROM account
),
named AS (
    SELECT s.*, coalesce(d.drive, regexp_replace(s.mover, '\.mover$', '')) AS drive,
           epoch_us(s.reported_at) // 120000000 AS minutes
    FROM spoken s LEFT JOIN site.drive d ON d.mover = s.mover
),
same_file AS (
    -- old lines have no request id: their row is the nearest of the same size
    SELECT l.system, l.file_id, l.line_no, r.unique_id
    FROM (SELECT *, unnest([minutes - 1, minutes, minutes + 1]) AS near
          FROM named WHERE witness = 'encp' AND unique_id IS NULL) l
    JOIN named r ON r.witness = 'table' AND r.system = l.system AND r.drive = l.drive AND r.volume = l.volume
        AND r.mode = l.mode AND r.file_bytes = l.file_bytes AND r.minutes = l.near AND r.unique_id IS NOT NULL
    WHERE abs(date_diff('microsecond', l.reported_at, r.reported_at)) <= 120000000
    QUALIFY row_number() OVER (PARTITION BY l.system, l.file_id, l.line_no
                               ORDER BY abs(date_diff('microsecond', l.reported_at, r.reported_at)), r.unique_id) = 1
        AND row_number() OVER (PARTITION BY r.system, r.unique_id, r.drive
                               ORDER BY abs(date_diff('microsecond', l.reported_at, r.reported_at)), l.line_no) = 1
),
known AS (
    SELECT n.* EXCLUDE (unique_id), coalesce(n.unique_id, f.unique_id) AS unique_id,
           -- the n-th of equal ones is the n-th in every file
           coalesce(n.unique_id, f.unique_id, concat_ws(' ', n.volume, n.mode, n.reported_at, n.file_bytes, row_number() OVER (
               PARTITION BY n.system, n.witness, n.drive, n.volume, n.mode, n.reported_at, n.file_bytes
               ORDER BY n.elapsed_s, n.overall_bytes_s, n.file_id, n.line_no))) AS file_key
    FROM named n
    LEFT JOIN same_file f
        ON n.witness = 'encp' AND f.system = n.system AND f.file_id = n.file_id AND f.line_no = n.line_no
),
client_row AS (
    -- one per request id and source: a client that retried after the mover's success logs it twice
    SELECT * FROM known
    QUALIFY row_number() OVER (PARTITION BY system, file_key, drive, witness ORDER BY reported_at, file_id, line_no) = 1
),
client_file AS (
    SELECT coalesce(l.system, r.system) AS system, coalesce(l.file_key, r.file_key) AS file_key,
           coalesce(l.drive, r.drive) AS drive, coalesce(l.unique_id, r.unique_id) AS unique_id,
           coalesce(l.reported_at, r.reported_at) AS reported_at, coalesce(l.volume, r.volume) AS volume,
           coalesce(l.mode, r.mode) AS mode, coalesce(l.file_bytes, r.file_bytes) AS file_bytes,
           coalesce(l.storage_group, r.storage_group) AS storage_group, r.file_family, r.node, r.mover_host,
           coalesce(l.elapsed_s, r.elapsed_s) AS elapsed_s,
           coalesce(nullif(l.overall_bytes_s, 0), nullif(r.overall_bytes_s, 0)) AS overall_bytes_s,
           coalesce(nullif(l.network_bytes_s, 0), nullif(r.network_bytes_s, 0)) AS network_bytes_s,
           coalesce(nullif(l.drive_bytes_s, 0), nullif(r.drive_bytes_s, 0)) AS drive_bytes_s,
           coalesce(nullif(l.transfer_bytes_s, 0), nullif(r.transfer_bytes_s, 0)) AS transfer_bytes_s,
           concat_ws(' ', l.witness, r.witness) AS witnesses,
           coalesce(l.file_id, r.file_id) AS file_id, coalesce(l.line_no, r.line_no) AS line_no
    FROM (SELECT * FROM client_row WHERE witness = 'encp') l
    FULL JOIN (SELECT * FROM client_row WHERE witness = 'table') r
        ON r.system = l.system AND r.file_key = l.file_key AND r.drive = l.drive
),
client AS (
    SELECT c.*, coalesce(a.station, c.host) AS station,
           CAST(make_timestamp(1000000 * TRY_CAST(regexp_extract(c.unique_id, '-([0-9]{9,10})-[0-9]+-[0-9]+$', 1)
                                                  AS BIGINT)) AS TIMESTAMP) AS begun_at,
           epoch_us(c.reported_at) // 120000000 AS minutes
    FROM (SELECT *, split_part(coalesce(nullif(regexp_extract(unique_id, '^(.*)-[0-9]+-[0-9]+-[0-9]+$', 1), ''), node),
                               '.', 1) AS host FROM client_file) c
    LEFT JOIN site.station_alias a ON a.alias = c.host
),
by_id AS (
    SELECT t.system, t.drive, t.attempt_id, c.file_key
    FROM edged t JOIN client c ON c.system = t.system AND c.unique_id = t.unique_id AND c.drive = t.drive
    WHERE t.failed_at IS NULL
),
unmatched AS (
    SELECT t.system, t.drive, t.attempt_id, t.unique_id, t.volume, t.mode, t.bytes,
           coalesce(t.completed_at, t.data_ended_at) AS done_at,
           unnest([-1, 0, 1]) + epoch_us(coalesce(t.completed_at, t.data_ended_at)) // 120000000 AS near
    FROM edged t ANTI JOIN by_id b ON b.system = t.system AND b.drive = t.drive AND b.attempt_id = t.attempt_id
    WHERE t.data_ended_at IS NOT NULL AND t.failed_at IS NULL
),
by_time AS (
    -- without an id on either side: the same volume, direction and size within two minutes, the nearest of both
    SELECT u.system, u.drive, u.attempt_id, c.file_key
    FROM unmatched u
    JOIN client c ON c.system = u.system AND c.drive = u.drive AND c.volume = u.volume AND c.mode = u.mode
        AND c.minutes = u.near
    ANTI JOIN by_id b ON b.system = c.system AND b.drive = c.drive AND b.file_key = c.file_key
    WHERE (u.unique_id IS NULL OR c.unique_id IS NULL)
      AND abs(date_diff('microsecond', u.done_at, c.reported_at)) <= 120000000
      AND coalesce(u.bytes - c.file_bytes BETWEEN 0 AND 1048576, TRUE)
    QUALIFY row_number() OVER (PARTITION BY u.system, u.drive, u.attempt_id
                               ORDER BY abs(date_diff('microsecond', u.done_at, c.reported_at)), c.file_key) = 1
        AND row_number() OVER (PARTITION BY c.system, c.drive, c.file_key
                               ORDER BY abs(date_diff('microsecond', u.done_at, c.reported_at)), u.attempt_id) = 1
),
matched AS (
    SELECT * FROM by_id UNION ALL SELECT * FROM by_time
),
by_mover AS (
    SELECT t.attempt_id AS transfer_id, t.system,
           coalesce(c.station, a.station,
                    split_part(regexp_extract(t.unique_id, '^(.*)-[0-9]+-[0-9]+-[0-9]+$', 1), '.', 1)) AS station,
           t.drive, t.mover_host, coalesce(t.volume, c.volume) AS volume, t.session_id,
           coalesce(t.mode, c.mode) AS mode,
           t.file_number, t.bytes, coalesce(t.file_bytes, c.file_bytes) AS file_bytes,
           coalesce(t.unique_id, c.unique_id) AS unique_id,
           regexp_replace(coalesce(t.unique_id, c.unique_id), '^(.*)-[0-9]+-([0-9]+)-[0-9]+$', '\1 \2') AS client,
           t.queued_at, CAST(NULL AS TIMESTAMP) AS ready_at, t.requested_at,
           coalesce(t.started_at, t.hole_before_at, t.data_ended_at) AS started_at,
           coalesce(t.data_ended_at, t.failed_at, t.hole_after_at, t.started_at) AS ended_at,
           t.completed_at,
           -- before 2009 the mover printed no times: the client's drive rate is used
           coalesce(t.call_s, t.block_s, CASE WHEN t.started_at IS NOT NULL AND t.data_ended_at IS NOT NULL
                                               AND t.failed_at IS NULL THEN c.file_bytes / c.drive_bytes_s END)
               AS drive_s,
           CASE WHEN t.call_s IS NOT NULL THEN 'call' WHEN t.block_s IS NOT NULL THEN 'block' END AS own_basis,
           t.checksum_s, CASE WHEN t.mode = 'write' THEN t.wait_s END AS wait_data_s,
           CASE WHEN t.mode = 'read' THEN t.wait_s END AS wait_buffer_s,
           coalesce(c.storage_group, nullif(split_part(t.volume_family, '.', 1), '')) AS storage_group,
           coalesce(nullif(split_part(t.volume_family, '.', 2), ''), c.file_family) AS file_family,
           CASE WHEN t.failed_at IS NOT NULL THEN 'failed'
                WHEN t.started_at IS NULL OR t.data_ended_at IS NULL THEN 'incomplete'
                ELSE 'ok' END AS status,
           t.error, concat_ws(' ', 'mover', c.witnesses) AS witnesses,
           t.file_id, t.line_no, t.end_file_id, t.end_line_no
    FROM edged t
    LEFT JOIN matched m ON m.system = t.system AND m.drive = t.drive AND m.attempt_id = t.attempt_id
    LEFT JOIN client c ON c.system = m.system AND c.drive = m.drive AND c.file_key = m.file_key
    LEFT JOIN site.station_alias a
        ON a.alias = split_part(regexp_extract(t.unique_id, '^(.*)-[0-9]+-[0-9]+-[0-9]+$', 1), '.', 1)
),
only_client AS (
    -- the mover's lines are missing: the client's rates are used. A duration over a day means a wrong rate, and a build of single days would not find it.
    SELECT c.*, c.reported_at - to_microseconds(CAST(round(1e6 * c.took_s) AS BIGINT)) AS started_at,
           CASE WHEN c.file_bytes / c.overall_bytes_s BETWEEN c.took_s AND 86400
                THEN c.reported_at - to_microseconds(CAST(round(1e6 * c.file_bytes / c.overall_bytes_s) AS BIGINT)) END
               AS requested_at
    FROM (SELECT *, coalesce(file_bytes / coalesce(transfer_bytes_s, network_bytes_s, drive_bytes_s, overall_bytes_s),
                             elapsed_s) AS took_s FROM client) c
    ANTI JOIN matched m ON m.system = c.system AND m.drive = c.drive AND m.file_key = c.file_key
    WHERE c.file_bytes > 0 AND c.took_s BETWEEN 0 AND 86400
),
mount AS (
    SELECT system, drive, volume, session_id, from_at, dismounted_at, witnesses FROM silver.session
    WHERE witnesses IS DISTINCT FROM 'counter'
),
placed AS (
    -- the drive's last mount before the transfer, only if no log has the mount: a log would also have the transfer's steps
    SELECT c.*,
           CASE WHEN m.witnesses = 'table' AND m.volume = c.volume
                     AND c.reported_at <= coalesce(m.dismounted_at + INTERVAL 120 SECOND, m.from_at + INTERVAL 2 DAY)
                THEN m.session_id END AS session_id
    FROM only_client c
    ASOF LEFT JOIN mount m ON m.system = c.system AND m.drive = c.drive AND c.reported_at >= m.from_at
),
by_client AS (
    SELECT concat_ws(' ', drive, strftime(reported_at, '%Y-%m-%dT%H:%M:%SZ'), file_key) AS transfer_id, system,
           station, drive, mover_host, volume, session_id, mode, CAST(NULL AS BIGINT) AS file_number,
           file_bytes AS bytes, file_bytes, unique_id,
           regexp_replace(unique_id, '^(.*)-[0-9]+-([0-9]+)-[0-9]+$', '\1 \2') AS client,
           CASE WHEN begun_at BETWEEN reported_at - INTERVAL 30 DAY
                                      AND coalesce(requested_at, started_at) + INTERVAL 2 SECOND
                THEN least(begun_at, coalesce(requested_at, started_at)) END AS queued_at,
           CAST(NULL AS TIMESTAMP) AS ready_at, requested_at, started_at, reported_at AS ended_at, reported_at AS completed_at,
           file_bytes / drive_bytes_s AS drive_s, CAST(NULL AS VARCHAR) AS own_basis,
           CAST(NULL AS DOUBLE) AS checksum_s, CAST(NULL AS DOUBLE) AS wait_data_s, CAST(NULL AS DOUBLE) AS wait_buffer_s,
           storage_group, file_family, 'ok' AS status, CAST(NULL AS VARCHAR) AS error, witnesses, file_id, line_no,
           file_id AS end_file_id, line_no AS end_line_no
    FROM placed
),
sampled AS (
    SELECT m.system, m.session_id,
           sum(date_diff('microsecond', greatest(k.from_at, m.mounted_at), least(k.to_at, m.dismounted_at))) AS us
    FROM silver.listed_mount m
    JOIN silver.drive_counter k ON k.drive = m.drive AND k.from_at < m.dismounted_at AND k.to_at > m.mounted_at
    GROUP BY m.system, m.session_id
),
by_tsm AS (
    SELECT system, session_id, bool_and(bytes IS NOT NULL) AS is_whole FROM silver.tsm_transfer
    GROUP BY system, session_id HAVING count(bytes) > 0
),
counted AS (
    -- counters that were not sampled during a twentieth of a mount lack some of its bytes
    SELECT m.system, m.session_id
    FROM silver.listed_mount m
    LEFT JOIN sampled k ON k.system = m.system AND k.session_id = m.session_id
    SEMI JOIN silver.counter_use u ON u.system = m.system AND u.session_id = m.session_id
        AND coalesce(u.read_bytes, 0) + coalesce(u.write_bytes, 0) > 0
    LEFT JOIN by_tsm t ON t.system = m.system AND t.session_id = m.session_id
    WHERE m.witness = 'pages'
       OR coalesce(m.read_bytes, 0) + coalesce(m.write_bytes, 0) = 0 AND t.session_id IS NULL
       OR k.us >= 0.95e6 * m.mounted_s
),
by_library AS (
    -- where the drive's counters or TSM's server have all bytes of a mount, these are used
    SELECT concat_ws(' ', m.session_id, d.mode) AS transfer_id, m.system, m.drive, m.session_id, d.mode, d.bytes, m.volume,
           m.mounted_at AS started_at, m.dismounted_at AS ended_at, m.dismounted_at AS completed_at, 'ok' AS status,
           'server' AS witnesses, m.file_id, m.line_no
    FROM silver.listed_mount m
    CROSS JOIN LATERAL (VALUES ('read', m.read_bytes), ('write', m.write_bytes)) AS d (mode, bytes)
    ANTI JOIN by_tsm t ON t.system = m.system AND t.session_id = m.session_id AND t.is_whole
    ANTI JOIN counted u ON u.system = m.system AND u.session_id = m.session_id
    ANTI JOIN silver.counter_use c ON c.system = m.system AND c.drive = m.drive AND c.day = m.day AND m.witness = 'pages'
    WHERE m.drive IS NOT NULL AND d.bytes > 0
),
by_counter AS (
    -- where TSM has all bytes of a mount, or the library alone has them, these are used
    SELECT concat_ws(' ', u.session_id, u.day, d.mode) AS transfer_id, u.system, u.drive, u.host AS mover_host, u.session_id,
           d.mode, d.bytes, u.from_at AS started_at, u.to_at AS ended_at, u.to_at AS completed_at, nullif(d.drive_s, 0) AS drive_s,
           CASE WHEN d.drive_s > 0 THEN 'counter' END AS own_basis, m.volume, 'ok' AS status, 'counter' AS witnesses, u.file_id,
           u.line_no
    FROM silver.counter_use u
    CROSS JOIN LATERAL (VALUES ('read', u.read_bytes, u.read_s), ('write', u.write_bytes, u.write_s)) AS d (mode, bytes, drive_s)
    LEFT JOIN silver.listed_mount m ON u.is_mount AND m.system = u.system AND m.session_id = u.session_id
    ANTI JOIN by_tsm t ON t.system = u.system AND t.session_id = u.session_id AND t.is_whole
    LEFT JOIN counted c ON c.system = u.system AND c.session_id = u.session_id
    WHERE d.bytes > 0 AND (NOT u.is_mount OR c.session_id IS NOT NULL)
)
SELECT CAST(started_at AS DATE) AS day,
       * EXCLUDE (own_basis, drive_s, checksum_s, wait_data_s, wait_buffer_s, storage_group, file_family, status, error,
                  witnesses, file_id, line_no, end_file_id, end_line_no),
       drive_s, coalesce(own_basis, CASE WHEN drive_s IS NOT NULL THEN 'encp' END) AS drive_rate_basis, checksum_s,
       wait_data_s, wait_buffer_s, storage_group, file_family, status, error, witnesses, file_id, line_no, end_file_id,
       end_line_no
FROM (SELECT * FROM by_mover
      UNION ALL BY NAME SELECT * FROM by_client
      UNION ALL BY NAME SELECT * EXCLUDE (day, position_s, drive_rate_basis), drive_rate_basis AS own_basis FROM silver.cta_transfer
      UNION ALL BY NAME
      SELECT * EXCLUDE (day, activity, task, number, began_at, n_volumes, n_objects), ended_at AS completed_at,
             CASE WHEN drive_s IS NOT NULL THEN 'estimate' END AS own_basis, 'server' AS witnesses
      FROM silver.tsm_transfer t
      ANTI JOIN (SELECT system, session_id FROM by_counter UNION SELECT system, session_id FROM by_library) k
          ON k.system = t.system AND k.session_id = t.session_id
      WHERE bytes IS NOT NULL
      UNION ALL BY NAME SELECT * FROM by_counter
      UNION ALL BY NAME SELECT * FROM by_library)
