/*
title = "Recalls, from the pool's request until the file is on disk"
grain = "one row per restore of a disk pool that CTA's or ENDIT's log also shows"
why = "Divides a user's wait into stages: queue, mount, reads of other files, winding, reading and delivery to the pool. Each stage has a different responsible team, so the longest stage shows whom to ask."
lineage = ["file_id", "line_no"]
features = ["D12"]

[columns]
system = { type = "VARCHAR", doc = "archive system to which the pool belongs" }
pool = { type = "VARCHAR", doc = "disk pool" }
pnfsid = { type = "VARCHAR", doc = "dCache's identifier of the file" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment. This is the part of dCache's storage class before the colon (without a colon, before the first dot), e.g. exp in exp:raw@osm" }
bytes = { type = "BIGINT", unit = "bytes", doc = "size of the file" }
outcome = { type = "VARCHAR", doc = "outcome of the restore, as in silver.pool_request" }
via = { type = "VARCHAR", doc = "how the recall was found in the tape system's log. cta: by CTA's number of the file, which is the archiveid in dCache's URI of the file. endit: by the ENDIT run that requested the file" }
tape_system = { type = "VARCHAR", doc = "archive system to which the drive belongs; NULL where no log has the mount" }
volume = { type = "VARCHAR", doc = "tape label; NULL where not known" }
drive = { type = "VARCHAR", doc = "drive that read the file; NULL where no log has the mount" }
session_id = { type = "VARCHAR", doc = "identifier of the mount in which the file was read; NULL where no log has the mount" }
n_tries = { type = "BIGINT", doc = "number of attempts from the request until an hour after the end in the pool's record. For CTA, reads of the file; for ENDIT, runs that requested the file" }
created_at = { type = "TIMESTAMP", doc = "when the pool made the request" }
ended_at = { type = "TIMESTAMP", doc = "when the file was on the pool: the later of the end in the pool's record and the end in the tape system. The end in the pool's record may be too early, because this record lacks the time in the pool's own queue" }
queue_s = { type = "DOUBLE", unit = "s", doc = "time in the queues of pool and tape system. It ends when the mount of the tape was requested (CTA) or a worker took the request (ENDIT)" }
mount_s = { type = "DOUBLE", unit = "s", doc = "time from the end of the queue until the tape was in the drive; 0 if the tape was already in the drive. NULL where no log has the mount; the next stage then includes this time" }
turn_s = { type = "DOUBLE", unit = "s", doc = "time from the mount until the drive began to wind to the file: label check and reads of earlier files. NULL for ENDIT, which does not log single files" }
position_s = { type = "DOUBLE", unit = "s", doc = "time to wind the tape to the file; NULL for ENDIT, which does not log single files" }
read_s = { type = "DOUBLE", unit = "s", doc = "time to read the file. For ENDIT, time from the mount until the run was done; this includes winding, all files of the run and the time of the client dsmc" }
deliver_s = { type = "DOUBLE", unit = "s", doc = "time from the last byte read from tape until the pool had the file" }
latency_s = { type = "DOUBLE", unit = "s", doc = "time from created_at to ended_at, which is the sum of all stages" }
slowest = { type = "VARCHAR", doc = "stage of the recall that took longest: queue, mount, turn, position, read or deliver" }
slowest_s = { type = "DOUBLE", unit = "s", doc = "time of the slowest stage" }
file_id = { type = "VARCHAR", doc = "log file with the pool's record of the restore" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectColumnValuesToBeInSet"
column = "slowest"
value_set = ["queue", "mount", "turn", "position", "read", "deliver"]
severity = "critical"

[[checks]]
expectation = "UnexpectedRowsExpectation"
unexpected_rows_query = "SELECT pnfsid FROM {batch} WHERE abs(coalesce(queue_s, 0) + coalesce(mount_s, 0) + coalesce(turn_s, 0) + coalesce(position_s, 0) + coalesce(read_s, 0) + coalesce(deliver_s, 0) - latency_s) > 0.001"
description = "the parts of a recall must add up to latency_s"
severity = "critical"
*/
WITH restore AS (
    SELECT system, pool, pnfsid, storage_group, bytes, outcome, created_at, ended_at, file_id, line_no
    FROM silver.pool_request WHERE operation = 'restore' AND ended_at >= created_at
),
place AS (
    -- the record of the file's store, or of another restore of it, has the file's place on tape
    SELECT pnfsid, arg_max(regexp_extract(uri, '[?&]archiveid=([0-9]{1,18})', 1), (created_at, file_id, line_no)) AS archive_id
    FROM bronze.dcache_billing_request WHERE regexp_matches(uri, '[?&]archiveid=[0-9]{1,18}')
    GROUP BY pnfsid
),
read_file AS (
    SELECT regexp_extract(unique_id, ':([0-9]{1,18})( |$)', 1) AS archive_id, system, volume, drive, session_id, requested_at,
           started_at, ended_at, status
    FROM silver.transfer WHERE witnesses = 'taped' AND mode = 'read'
),
by_cta AS (
    SELECT p.*, 'cta' AS via, t.system AS tape_system, t.volume, t.drive, t.session_id, s.requested_at AS asked_at,
           s.mounted_at, t.requested_at AS turn_at, t.started_at AS begin_at, t.ended_at AS read_at,
           count(*) OVER same AS n_tries
    FROM restore p
    JOIN place a ON a.pnfsid = p.pnfsid
    JOIN read_file t ON t.archive_id = a.archive_id AND t.ended_at > p.created_at AND t.ended_at <= p.ended_at + INTERVAL 1 HOUR
    LEFT JOIN silver.session s ON s.system = t.system AND s.session_id = t.session_id
    WINDOW same AS (PARTITION BY p.system, p.pool, p.pnfsid, p.created_at)
    QUALIFY row_number() OVER (PARTITION BY p.system, p.pool, p.pnfsid, p.created_at
                               ORDER BY t.status <> 'ok', t.ended_at, t.system, t.session_id) = 1
),
hint AS (
    SELECT pnfsid, arg_max(volume, (written_at, file_id, line_no)) AS volume FROM bronze.endit_hint GROUP BY pnfsid
),
given AS (
    SELECT DISTINCT f.system, f.host, coalesce(f.pool, f.host) AS pool, f.logged_at, f.volume AS run_volume, f.pnfsid,
           CASE WHEN f.volume = 'default' THEN h.volume ELSE f.volume END AS volume
    FROM bronze.endit_file f LEFT JOIN hint h ON h.pnfsid = f.pnfsid
    WHERE f.operation = 'retrieve'
),
served AS (
    SELECT * FROM silver.endit_mount WHERE operation = 'retrieve'
    QUALIFY row_number() OVER (PARTITION BY system, host, pool, began_at, volume ORDER BY shared_s DESC, mounted_at, drive) = 1
),
by_endit AS (
    SELECT p.*, 'endit' AS via, m.drive_system AS tape_system, g.volume, m.drive, m.session_id, r.began_at AS asked_at,
           m.mounted_at, CAST(NULL AS TIMESTAMP) AS turn_at, CAST(NULL AS TIMESTAMP) AS begin_at, r.until_at AS read_at,
           count(*) OVER same AS n_tries
    FROM restore p
    JOIN given g ON g.pnfsid = p.pnfsid
    JOIN silver.endit_run r
        ON r.operation = 'retrieve' AND r.system = g.system AND r.host = g.host AND r.pool = g.pool
           AND r.began_at = g.logged_at AND r.volume = g.run_volume
           AND r.until_at > p.created_at AND r.began_at <= p.ended_at + INTERVAL 1 HOUR
    LEFT JOIN served m
        ON m.system = r.system AND m.host = r.host AND m.pool = r.pool AND m.began_at = r.began_at AND m.volume = g.volume
    WINDOW same AS (PARTITION BY p.system, p.pool, p.pnfsid, p.created_at)
    QUALIFY row_number() OVER (PARTITION BY p.system, p.pool, p.pnfsid, p.created_at
                               ORDER BY r.outcome <> 'done', r.began_at, r.host, r.pool, r.volume) = 1
),
followed AS (
    SELECT * FROM by_cta
    UNION ALL BY NAME
    SELECT e.* FROM by_endit e
    ANTI JOIN by_cta c ON c.system = e.system AND c.pool IS NOT DISTINCT FROM e.pool AND c.pnfsid = e.pnfsid AND c.created_at = e.created_at
),
ordered AS (
    -- what started before the request took no part of its time: each instant is at least the one before it
    SELECT * REPLACE (greatest(ended_at, read_at) AS ended_at), greatest(created_at, asked_at) AS t1,
           greatest(created_at, asked_at, mounted_at) AS t2, greatest(created_at, asked_at, mounted_at, turn_at) AS t3,
           greatest(created_at, asked_at, mounted_at, turn_at, begin_at) AS t4,
           greatest(created_at, asked_at, mounted_at, turn_at, begin_at, read_at) AS t5
    FROM followed
),
timed AS (
    SELECT *, date_diff('microsecond', created_at, t1) / 1e6 AS queue_s,
           CASE WHEN mounted_at IS NOT NULL THEN date_diff('microsecond', t1, t2) / 1e6 END AS mount_s,
           CASE WHEN turn_at IS NOT NULL THEN date_diff('microsecond', t2, t3) / 1e6 END AS turn_s,
           CASE WHEN begin_at IS NOT NULL THEN date_diff('microsecond', t3, t4) / 1e6 END AS position_s,
           date_diff('microsecond', t4, t5) / 1e6 AS read_s, date_diff('microsecond', t5, greatest(t5, ended_at)) / 1e6 AS deliver_s,
           date_diff('microsecond', created_at, greatest(t5, ended_at)) / 1e6 AS latency_s
    FROM ordered
),
judged AS (
    SELECT *, list_max(list_value({'s': queue_s, 'stage': 'queue'}, {'s': coalesce(mount_s, -1), 'stage': 'mount'},
                                  {'s': coalesce(turn_s, -1), 'stage': 'turn'},
                                  {'s': coalesce(position_s, -1), 'stage': 'position'}, {'s': read_s, 'stage': 'read'},
                                  {'s': deliver_s, 'stage': 'deliver'})) AS most
    FROM timed
)
SELECT system, pool, pnfsid, storage_group, bytes, outcome, via, tape_system, volume, drive, session_id, n_tries, created_at,
       greatest(t5, ended_at) AS ended_at, queue_s, mount_s, turn_s, position_s, read_s, deliver_s, latency_s,
       most.stage AS slowest, most.s AS slowest_s, file_id, line_no
FROM judged
