/*
title = "Recorded work of drives, for the replay"
why = "Lists the files of each mount, with gaps and waits. The what-if simulator replays this work before it estimates the effect of a change."
takes = ["last_day"]

[params.n_days]
type = "BIGINT"
default = "7"
doc = "number of site days in the period that ends with last_day"

[columns]
session_id = { type = "VARCHAR", doc = "identifier of the mount" }
system = { type = "VARCHAR", doc = "archive system" }
kind = { type = "VARCHAR", doc = "technology of the drive; the drive's own name where site.toml does not name the technology" }
drive = { type = "VARCHAR", doc = "drive" }
station = { type = "VARCHAR", doc = "station to which most bytes of the mount went, or from which they came" }
volume = { type = "VARCHAR", doc = "tape label" }
mode = { type = "VARCHAR", doc = "read or write; where a mount did both, the mode of most of its files" }
asked_at = { type = "TIMESTAMP", doc = "instant from which the mount's work waited for a drive. It is the earlier of two instants: the mount request, and the queuing of the mount's first file. If a mount policy requires an age, the second instant is when a file of the mount first reached this age" }
requested_at = { type = "TIMESTAMP", doc = "instant of the mount request, from which the drive is in use. NULL where no log shows the request; such a mount cannot be replayed" }
dismounted_at = { type = "TIMESTAMP", doc = "instant at which the drive was free again. NULL where no log shows this instant; such a mount cannot be replayed" }
queued_at = { type = "TIMESTAMP", doc = "instant at which the file was requested; NULL where no log shows it" }
file_number = { type = "BIGINT", doc = "number of the file on the tape" }
file_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes of the file that were moved; 0 if the transfer failed or is incomplete" }
moving_s = { type = "DOUBLE", unit = "s", doc = "time from the first block of the file to its last" }
wait_s = { type = "DOUBLE", unit = "s", doc = "time within the transfer in which the drive waited for data (write) or for room in the buffer (read); NULL where no log shows the wait" }
before_s = { type = "DOUBLE", unit = "s", doc = "time from the end of the previous file to the first block of this file; for the first file of a mount, time from the mount request" }
think_s = { type = "DOUBLE", unit = "s", doc = "part of before_s in which the drive had no request; 0 for the first file of a mount, and where no log shows this part" }
avoidable_s = { type = "DOUBLE", was = "judged_s", unit = "s", doc = "part of before_s spent on requests, databases and the start of the transfer. 0 for the first file of a mount; equal to before_s where no log shows this part separately" }
position_s = { type = "DOUBLE", unit = "s", doc = "tape motion within before_s, from the previous file to this one; NULL for the first file of a mount, and where no log shows the motion separately" }
after_s = { type = "DOUBLE", unit = "s", doc = "for the last file of a mount, time from its last block to the end of the dismount; NULL for other files" }
*/
WITH file AS (
    SELECT t.system, t.session_id, t.station, t.mode, t.transfer_id, t.file_number, t.queued_at, t.started_at, t.ended_at,
           coalesce(t.wait_data_s, t.wait_buffer_s) AS wait_s,
           CASE WHEN t.status = 'ok' THEN t.bytes ELSE 0 END AS bytes,
           lag(t.ended_at) OVER mount AS before_at, lag(t.transfer_id) OVER mount AS before_id,
           lead(t.started_at) OVER mount AS next_at,
           coalesce(min(r.due_at) OVER (PARTITION BY t.system, t.session_id), first_value(t.queued_at) OVER mount) AS first_queued_at
    FROM silver.transfer t
    LEFT JOIN silver.request r
        ON r.system = t.system AND r.request_id = t.unique_id AND r.due_at IS NOT NULL
        AND r.day >= $last_day - CAST($n_days AS INTEGER) - 31
    WHERE t.session_id IS NOT NULL
      AND t.day >= $last_day - CAST($n_days AS INTEGER)  -- no value is before its mount
    WINDOW mount AS (PARTITION BY t.system, t.session_id ORDER BY t.started_at, t.transfer_id)
),
most AS (
    SELECT s.system, s.session_id, arg_max(s.station, (s.bytes, s.station)) AS station, any_value(m.mode) AS mode
    FROM (SELECT system, session_id, station, sum(bytes) AS bytes FROM file GROUP BY ALL) s
    JOIN (
        SELECT system, session_id, arg_max(mode, (n, mode)) AS mode
        FROM (SELECT system, session_id, mode, count(*) AS n FROM file GROUP BY ALL) GROUP BY system, session_id
    ) m ON m.system = s.system AND m.session_id = s.session_id
    GROUP BY s.system, s.session_id
)
SELECT s.session_id, s.system, coalesce(d.generation, s.drive) AS kind, s.drive, m.station, s.volume, m.mode,
       least(coalesce(f.first_queued_at, s.requested_at), s.requested_at) AS asked_at, s.requested_at, s.dismounted_at,
       f.queued_at, f.file_number, f.bytes AS file_bytes, date_diff('microsecond', f.started_at, f.ended_at) / 1e6 AS moving_s, f.wait_s,
       date_diff('microsecond', coalesce(f.before_at, s.requested_at), f.started_at) / 1e6 AS before_s,
       coalesce(g.no_request_s, 0) AS think_s,
       CASE WHEN f.before_at IS NULL THEN 0 WHEN g.avoidable_s IS NOT NULL THEN g.avoidable_s
            ELSE date_diff('microsecond', f.before_at, f.started_at) / 1e6 END AS avoidable_s,
       g.position_s,
       CASE WHEN f.next_at IS NULL THEN date_diff('microsecond', f.ended_at, s.dismounted_at) / 1e6 END AS after_s
FROM silver.session s
JOIN file f ON f.system = s.system AND f.session_id = s.session_id
JOIN most m ON m.system = s.system AND m.session_id = s.session_id
LEFT JOIN silver.gap g ON g.system = f.system AND g.gap_id = f.before_id AND g.day >= $last_day - CAST($n_days AS INTEGER)
LEFT JOIN site.drive d ON d.drive = s.drive
CROSS JOIN site.setting c
-- a mount whose log has only the ends of files may have read or written
WHERE m.mode IS NOT NULL AND s.witnesses IS DISTINCT FROM 'counter'
  AND near_days(coalesce(s.requested_at, s.from_at), $last_day - CAST($n_days AS INTEGER) + 1, $last_day)
  AND in_days(coalesce(s.requested_at, s.from_at), $last_day - CAST($n_days AS INTEGER) + 1, $last_day, c.zone)
ORDER BY s.requested_at, s.system, s.session_id, f.started_at, f.transfer_id
