/*
title = "ENDIT's runs and the mounts that served them"
grain = "one row per retrieve of ENDIT and mount of its volume that overlaps it"
why = "ENDIT logs no drives, and a drive's log has no pools, so they are joined by volume and time. A worker without hints reads several volumes, which the hint file names."
lineage = ["file_id", "line_no"]

[columns]
system = { type = "VARCHAR", doc = "archive system of the daemons" }
host = { type = "VARCHAR", doc = "host of the daemons" }
pool = { type = "VARCHAR", doc = "short name of the instance, else its host" }
began_at = { type = "TIMESTAMP", doc = "when the run began" }
ended_at = { type = "TIMESTAMP", doc = "when it ended, or its latest possible end" }
outcome = { type = "VARCHAR", doc = "as in silver.endit_run" }
volume = { type = "VARCHAR", doc = "tape label" }
n_files = { type = "BIGINT", doc = "files of the volume assigned to the run; NULL where no line lists them" }
bytes = { type = "BIGINT", unit = "bytes", doc = "size of the run's files; NULL where the run read several volumes" }
drive_system = { type = "VARCHAR", doc = "archive system of the drive" }
drive = { type = "VARCHAR", doc = "drive" }
session_id = { type = "VARCHAR", doc = "mount" }
mounted_at = { type = "TIMESTAMP", doc = "volume in the drive" }
dismounted_at = { type = "TIMESTAMP", doc = "drive free" }
waited_s = { type = "DOUBLE", unit = "s", doc = "time from the start of the run until the volume was in the drive; 0 if it already was" }
shared_s = { type = "DOUBLE", unit = "s", doc = "time during the run in which the volume was in the drive" }
file_id = { type = "VARCHAR", doc = "file of the run's first line" }
line_no = { type = "BIGINT", doc = "that line" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "shared_s"
min_value = 0
severity = "critical"
*/
WITH asked AS (
    SELECT r.system, r.host, r.pool, r.began_at, r.until_at, r.outcome, coalesce(c.volume, r.volume) AS volume,
           c.n_files, CASE WHEN r.volume <> 'default' THEN r.bytes END AS bytes, r.file_id, r.line_no
    FROM silver.endit_run r
    LEFT JOIN silver.endit_recall c
        ON c.system = r.system AND c.host = r.host AND c.pool = r.pool AND c.began_at = r.began_at AND c.worker_volume = r.volume
    WHERE r.operation = 'retrieve' AND r.until_at > r.began_at
)
SELECT a.system, a.host, a.pool, a.began_at, a.until_at AS ended_at, a.outcome, a.volume, a.n_files, a.bytes,
       s.system AS drive_system, s.drive, s.session_id, s.mounted_at, s.dismounted_at,
       greatest(0, date_diff('microsecond', a.began_at, s.mounted_at)) / 1e6 AS waited_s,
       date_diff('microsecond', greatest(a.began_at, s.mounted_at), least(a.until_at, s.dismounted_at)) / 1e6 AS shared_s,
       a.file_id, a.line_no
FROM asked a JOIN silver.session s
    ON s.volume = a.volume AND s.mounted_at < a.until_at AND s.dismounted_at > a.began_at
