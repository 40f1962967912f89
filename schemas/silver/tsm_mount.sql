/*
title = "Mounts in TSM's drives"
grain = "one row per mount of a volume in a drive of a TSM server, from the server's table SUMMARY or its activity log"
why = "Shows how long each volume was in TSM's drives. This includes the time for which TSM keeps a volume mounted in case of a further request. A mount that several exports hold counts once."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of mounted_at" }
session_id = { type = "VARCHAR", doc = "identifier of the mount: its drive, volume and mounted_at" }
system = { type = "VARCHAR", doc = "archive system" }
library = { type = "VARCHAR", doc = "library" }
drive = { type = "VARCHAR", doc = "name of the drive; NULL where drives of several libraries have this name and no line shows the library" }
volume = { type = "VARCHAR", doc = "tape label" }
mounted_at = { type = "TIMESTAMP", doc = "when the volume had arrived in the drive" }
dismounted_at = { type = "TIMESTAMP", doc = "when the drive was free again. NULL where TSM wrote the row before that, or where the log has no dismount before the drive's next mount" }
mounted_s = { type = "DOUBLE", unit = "s", doc = "dismounted_at - mounted_at" }
last_use = { type = "VARCHAR", doc = "what the volume was used for: Data or DbBackup" }
task = { type = "VARCHAR", doc = "session if a client's session needed the volume, process if a process of the server needed it. NULL where no activity log shows the reason" }
number = { type = "BIGINT", doc = "number of the session or process" }
is_successful = { type = "BOOLEAN", doc = "true if the server reported that the mount succeeded; NULL where only the activity log shows the mount" }
file_id = { type = "VARCHAR", doc = "log file with the row or line from which this row was made" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "session_id"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "mounted_s"
min_value = 0
severity = "critical"
*/
WITH shared AS (
    SELECT DISTINCT split_part(logname, ':', 2) AS name FROM site.drive WHERE contains(logname, ':')
),
listed AS (
    SELECT * FROM bronze.tsm_summary
    WHERE activity = 'TAPE MOUNT' AND drive IS NOT NULL
    QUALIFY row_number() OVER (
        PARTITION BY day, system, drive, volume, started_at ORDER BY ended_at DESC NULLS LAST, file_id, line_no) = 1
),
message AS (
    -- exports overlap
    SELECT * FROM bronze.tsm_actlog
    WHERE kind IN ('mounted', 'dismounted') AND drive IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY system, drive, kind, volume, logged_at ORDER BY number IS NULL, file_id, line_no) = 1
),
followed AS (
    SELECT *, lead(kind) OVER w = 'dismounted' AND lead(volume) OVER w = volume AS is_ended, lead(logged_at) OVER w AS next_at,
           lead(library) OVER w AS next_library
    -- a mount names no library: drives with one name are distinguished by their device
    FROM message LEFT JOIN shared ON name = drive
    WINDOW w AS (PARTITION BY system, drive, CASE WHEN name IS NOT NULL THEN device END ORDER BY logged_at, kind, volume)
),
logged AS (
    SELECT system, drive, volume, task, number, logged_at AS started_at, CASE WHEN is_ended THEN next_at END AS ended_at,
           CASE WHEN is_ended THEN next_library END AS library, file_id, line_no
    FROM followed WHERE kind = 'mounted'
),
same AS (
    -- the table and the log write the same mount within seconds
    SELECT t.system, t.drive, t.volume, t.started_at, l.started_at AS logged_at, l.ended_at, l.task, l.number
    FROM listed t JOIN logged l
        ON l.system = t.system AND l.drive = t.drive AND l.volume = t.volume
           AND abs(date_diff('second', l.started_at, t.started_at)) <= 60
    QUALIFY row_number() OVER (PARTITION BY t.system, t.drive, t.volume, t.started_at
                               ORDER BY abs(date_diff('second', l.started_at, t.started_at)), l.started_at) = 1
),
mount AS (
    -- an end in the hour that autumn repeats may be of its second pass: only the log's lines have an order
    SELECT t.system, t.library, t.drive, t.volume, t.started_at,
           CASE WHEN abs(date_diff('second', t.ended_at, s.ended_at) - 3600) <= 60
                     AND site_time(t.ended_at, c.zone) = site_time(t.ended_at + INTERVAL 1 HOUR, c.zone) THEN s.ended_at
                ELSE coalesce(t.ended_at, s.ended_at) END AS ended_at, t.last_use,
           s.task, s.number, t.is_successful, t.file_id, t.line_no
    FROM listed t LEFT JOIN same s USING (system, drive, volume, started_at) CROSS JOIN site.setting c
    UNION ALL
    SELECT l.system, l.library, l.drive, l.volume, l.started_at, l.ended_at, NULL, l.task, l.number, NULL, l.file_id, l.line_no
    FROM logged l
    ANTI JOIN same s ON s.system = l.system AND s.drive = l.drive AND s.volume = l.volume AND s.logged_at = l.started_at
)
SELECT CAST(m.started_at AS DATE) AS day,
       concat_ws(' ', coalesce(d.drive, m.drive), m.volume, strftime(m.started_at, '%Y-%m-%dT%H:%M:%S.%fZ')) AS session_id,
       m.system, m.library, coalesce(d.drive, CASE WHEN s.name IS NULL THEN m.drive END) AS drive, m.volume, m.started_at AS mounted_at,
       m.ended_at AS dismounted_at, epoch(m.ended_at - m.started_at) AS mounted_s, m.last_use, m.task, m.number,
       m.is_successful, m.file_id, m.line_no
FROM mount m
LEFT JOIN shared s ON s.name = m.drive
LEFT JOIN site.drive d ON d.logname = CASE WHEN s.name IS NULL THEN m.drive ELSE concat(m.library, ':', m.drive) END
