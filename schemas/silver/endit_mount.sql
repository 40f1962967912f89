/*
title = "Runs of ENDIT's workers, with the mounts that served them"
grain = "one row per run and mount that served it. A retrieve is served by each mount of its volume during the run. An archive is served by each mount in which the archive's TSM session wrote"
why = "Shows which mounts a run of ENDIT used. ENDIT does not log drives, and a drive's log does not name pools, so runs and mounts are matched by volume and time. A worker that was not started for one volume can read several volumes. ENDIT's hint file lists the volume of each file, and so shows which volumes such a worker reads. An archive run names no volume. Its volumes are those of the TSM session with the same host, time and size."
lineage = ["file_id", "line_no"]

[columns]
system = { type = "VARCHAR", doc = "archive system of the ENDIT daemons" }
host = { type = "VARCHAR", doc = "host of the ENDIT daemons" }
pool = { type = "VARCHAR", doc = "short name of the ENDIT instance, or its host if it has no name" }
operation = { type = "VARCHAR", doc = "retrieve or archive" }
began_at = { type = "TIMESTAMP", doc = "when the run started" }
ended_at = { type = "TIMESTAMP", doc = "when the run ended; if this was not logged, the latest possible end of the run" }
outcome = { type = "VARCHAR", doc = "outcome of the run, as in silver.endit_run" }
volume = { type = "VARCHAR", doc = "tape label" }
n_files = { type = "BIGINT", doc = "number of files that the run requested from this volume or wrote to it. NULL where no line lists the files of a retrieve, or an archive run wrote several volumes" }
bytes = { type = "BIGINT", unit = "bytes", doc = "size of all files of the run. NULL if the run is a retrieve that was not started for one volume, or an archive run that wrote several volumes" }
drive_system = { type = "VARCHAR", doc = "archive system to which the drive belongs" }
drive = { type = "VARCHAR", doc = "drive" }
session_id = { type = "VARCHAR", doc = "identifier of the mount" }
mounted_at = { type = "TIMESTAMP", doc = "when the volume had arrived in the drive" }
dismounted_at = { type = "TIMESTAMP", doc = "when the drive was free again" }
waited_s = { type = "DOUBLE", unit = "s", doc = "time from the start of the run until the volume was in the drive; 0 if it was already in the drive" }
shared_s = { type = "DOUBLE", unit = "s", doc = "time in which the run was active and the volume was in the drive" }
file_id = { type = "VARCHAR", doc = "log file with the first line of the run" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "shared_s"
min_value = 0
severity = "critical"
*/
WITH asked AS (
    SELECT r.system, r.host, r.pool, r.operation, r.began_at, r.until_at, r.outcome, coalesce(c.volume, r.volume) AS volume,
           c.n_files, CASE WHEN r.volume <> 'default' THEN r.bytes END AS bytes, r.file_id, r.line_no
    FROM silver.endit_run r
    LEFT JOIN silver.endit_recall c
        ON c.system = r.system AND c.host = r.host AND c.pool = r.pool AND c.began_at = r.began_at AND c.worker_volume = r.volume
    WHERE r.operation = 'retrieve' AND r.until_at > r.began_at
),
sent AS (
    -- dsmc's TSM session lasts as long as dsmc; runs at the same time on one host differ in size
    SELECT r.*, s.system AS server, s.task, s.number, s.started_at AS session_at,
           abs(date_diff('second', r.began_at, s.started_at)) + abs(date_diff('second', r.until_at, s.ended_at)) AS off_s
    FROM silver.endit_run r
    LEFT JOIN site.station_alias a ON a.alias = split_part(r.host, '.', 1)
    JOIN silver.tsm_session s
        ON s.activity = 'ARCHIVE' AND (s.client_host IS NULL OR s.client_host IN (split_part(r.host, '.', 1), coalesce(a.station, '')))
           AND abs(date_diff('second', r.began_at, s.started_at)) <= 60 AND abs(date_diff('second', r.until_at, s.ended_at)) <= 60
           AND abs(s.bytes - r.bytes) <= 0.01 * r.bytes
    WHERE r.operation = 'archive' AND r.until_at > r.began_at
),
own AS (
    SELECT * FROM sent
    QUALIFY row_number() OVER (PARTITION BY system, host, pool, began_at, worker_pid, n_files, bytes
                               ORDER BY off_s, session_at, number) = 1
        AND row_number() OVER (PARTITION BY server, number, session_at ORDER BY off_s, pool, worker_pid) = 1
),
served AS (
    SELECT a.*, s.system AS drive_system, s.drive, s.session_id, s.mounted_at, s.dismounted_at
    FROM asked a JOIN silver.session s
        ON s.volume = a.volume AND s.mounted_at < a.until_at AND s.dismounted_at > a.began_at
    UNION ALL BY NAME
    SELECT o.system, o.host, o.pool, o.operation, o.began_at, o.until_at, o.outcome, t.volume,
           CASE WHEN t.n_volumes = 1 THEN o.n_files END AS n_files, CASE WHEN t.n_volumes = 1 THEN o.bytes END AS bytes,
           s.system AS drive_system, s.drive, s.session_id, s.mounted_at, s.dismounted_at, o.file_id, o.line_no
    FROM own o
    JOIN silver.tsm_transfer t
        ON t.system = o.server AND t.task = o.task AND t.number = o.number AND t.began_at = o.session_at AND t.mode = 'write'
    JOIN silver.session s
        ON s.system = t.system AND s.session_id = t.session_id AND s.mounted_at < o.until_at AND s.dismounted_at > o.began_at
)
SELECT system, host, pool, operation, began_at, until_at AS ended_at, outcome, volume, n_files, bytes, drive_system, drive,
       session_id, mounted_at, dismounted_at, greatest(0, date_diff('microsecond', began_at, mounted_at)) / 1e6 AS waited_s,
       date_diff('microsecond', greatest(began_at, mounted_at), least(until_at, dismounted_at)) / 1e6 AS shared_s, file_id, line_no
FROM served
