/*
title = "States of drives"
grain = "one row per interval in which a drive was in one state. In time without a row, the drive was idle if a log or counter covers that time; otherwise its state is unknown"
why = "Shows everything that a drive did during a mount, without interruption, and when the drive was down. The ledger, the gaps and the dead time are computed from these states. Several sources may cover the same time. The first of these is then used: the log of the mover or tape daemon, the mover's broadcasts, polls that do not show `transfer`, the kernel's counters, other polls, a list of mounts."
partition = "day"
lineage = ["file_id", "line_no"]
features = ["D4"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive" }
state = { type = "VARCHAR", doc = "state of the drive: transfer, filemark, checksum, database, request, position, start, no_request, mount, dismount, drain, occupied, hung, down or unknown. silver.gap defines filemark, checksum, database, request, position, start and no_request. In `drain` the tape has left the drive, but its data are not all on disk yet. In `occupied` a tape is in the drive; either no log shows what the drive does, or its counters show no command. In `hung` nothing is logged until the mount's process is killed" }
from_at = { type = "TIMESTAMP", doc = "start" }
to_at = { type = "TIMESTAMP", doc = "end" }
is_inferred = { type = "BOOLEAN", doc = "true if the start or end is not a time that a log line, a list of mounts or an answer of cta-admin gives. The time is then the start or end of a hole in the log, or the end of the log. It may also be a point within a sampled interval, the time of a poll, the start of the next mount, or a time computed from a mount's final record" }
witness = { type = "VARCHAR", doc = "source of the state. log: steps that the mover or tape daemon logged. relay: states that the mover broadcasts, less detailed than a log, used only where no log covers the drive. session: states of CTA whose start or end no log line shows. Most of these are computed from a mount's final record, with its steps assumed in the usual order. counter: the kernel's counters of the drive, in sampled intervals. poll: answers of cta-admin, less detailed than a log, used only where no log covers the drive. server: a list of mounts from TSM or a library, or the drive's SCSI pages" }
session_id = { type = "VARCHAR", doc = "identifier of the mount to which the state belongs; NULL where the source does not show it" }
attempt_id = { type = "VARCHAR", was = "try_id", doc = "identifier of the attempt to move a file during which the state began; NULL where the source does not show it" }
file_id = { type = "VARCHAR", doc = "log file with the line at which the state starts" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "to_at"
column_B = "from_at"
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeInSet"
column = "witness"
value_set = ["log", "relay", "session", "counter", "poll", "server"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeInSet"
column = "state"
value_set = ["transfer", "filemark", "checksum", "database", "request", "position", "start", "no_request", "mount", "dismount", "drain", "occupied", "hung", "down", "unknown"]
severity = "critical"
*/
WITH stand_in AS (
    SELECT system, drive, from_at, to_at FROM silver.relay_state
    UNION ALL
    SELECT system, drive, from_at, to_at FROM silver.counter_state WHERE state <> 'idle'
),
cut AS (
    SELECT p.*, p.from_at AS begin_at, CAST(NULL AS TIMESTAMP) AS stop_at FROM silver.log_state p WHERE p.state = 'unknown'
    UNION ALL
    SELECT p.*, least(k.to_at, p.to_at), k.from_at
    FROM silver.log_state p JOIN stand_in k
        ON k.system = p.system AND k.drive = p.drive AND k.from_at < p.to_at AND k.to_at > p.from_at
    WHERE p.state = 'unknown'
),
-- polls and lists of mounts: they show that a tape is in the drive, and little of what it does there
coarse AS (
    SELECT system, drive, state, from_at, to_at, is_inferred, 'poll' AS witness, CAST(NULL AS VARCHAR) AS session_id, file_id,
           line_no
    FROM silver.cta_poll_state WHERE state <> 'idle'
    UNION ALL
    -- without an end, the tape left the drive before the next one came
    SELECT system, drive, CASE WHEN dismounted_at IS NULL THEN 'unknown' ELSE 'occupied' END, mounted_at,
           least(dismounted_at, lead(mounted_at) OVER (PARTITION BY system, drive ORDER BY mounted_at, volume)),
           dismounted_at IS NULL, 'server', session_id, file_id, line_no
    FROM silver.listed_mount
    WHERE drive IS NOT NULL
),
counted AS (
    SELECT c.*, k.state AS counter_state, k.from_at AS counter_from_at, k.to_at AS counter_to_at
    FROM coarse c JOIN silver.counter_state k
        ON k.system = c.system AND k.drive = c.drive AND k.from_at < c.to_at AND k.to_at > c.from_at
),
cut_coarse AS (
    SELECT *, from_at AS begin_at, CAST(NULL AS TIMESTAMP) AS stop_at FROM coarse
    UNION ALL
    SELECT * EXCLUDE (counter_state, counter_from_at, counter_to_at), least(counter_to_at, to_at), counter_from_at FROM counted
),
every_piece AS (
    SELECT system, drive, state, from_at, to_at, is_inferred, 'log' AS witness, session_id, attempt_id, file_id, line_no
    FROM silver.log_state WHERE state <> 'unknown'
    UNION ALL
    SELECT system, drive, state, begin_at,
           coalesce(lead(stop_at) OVER (PARTITION BY system, drive, from_at, to_at ORDER BY begin_at), to_at),
           is_inferred, 'log', session_id, attempt_id, file_id, line_no
    FROM cut
    UNION ALL
    SELECT system, drive, state, from_at, to_at, is_inferred, 'relay', NULL, NULL, file_id, line_no
    FROM silver.relay_state
    UNION ALL
    SELECT system, drive, state, from_at, to_at, is_inferred, CASE WHEN is_inferred THEN 'session' ELSE 'log' END,
           session_id, attempt_id, file_id, line_no
    FROM silver.cta_state
    UNION ALL
    SELECT system, drive, state, from_at, to_at, TRUE, 'counter', session_id, NULL, file_id, line_no
    FROM silver.counter_state WHERE state <> 'idle'
    UNION ALL
    SELECT system, drive, state, begin_at,
           coalesce(lead(stop_at) OVER (PARTITION BY system, drive, from_at, to_at ORDER BY begin_at), to_at),
           is_inferred OR lead(stop_at) OVER (PARTITION BY system, drive, from_at, to_at ORDER BY begin_at) IS NOT NULL
               OR stop_at IS NOT NULL,
           witness, session_id, NULL, file_id, line_no
    FROM cut_coarse
    UNION ALL
    -- a tape is in the drive, and no command is under way
    SELECT system, drive, CASE state WHEN 'transfer' THEN 'occupied' ELSE state END, greatest(from_at, counter_from_at),
           least(to_at, counter_to_at), TRUE, witness, session_id, NULL, file_id, line_no
    FROM counted WHERE counter_state = 'idle'
)
SELECT CAST(from_at AS DATE) AS day, system, drive, state, from_at, to_at, is_inferred, witness, session_id, attempt_id,
       file_id, line_no
FROM every_piece
WHERE to_at > from_at
