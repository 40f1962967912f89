/*
title = "CTA: states of drives, from regular polls"
grain = "one row per interval and UTC day in which polls show one state of a drive, where no log of the drive's tape daemon covers that interval"
why = "Shows the states of drives where the log of the tape daemon is missing. Polls are coarser than the log: they may miss a state that is shorter than a polling interval. The state `transfer` includes positioning and gaps between files."
partition = "day"
lineage = ["file_id", "line_no", "end_file_id", "end_line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
system = { type = "VARCHAR", doc = "CTA instance" }
drive = { type = "VARCHAR", doc = "drive" }
state = { type = "VARCHAR", doc = "state of the drive: mount, transfer, dismount, drain, down, unknown or idle. In `drain` the tape has left the drive, but its data are not all on disk yet. In `idle` the drive was free. In `unknown` CTA reported a status that tapescope does not know" }
from_at = { type = "TIMESTAMP", doc = "start of the state, if CTA's answer to the poll gives a start after the previous poll. Otherwise, and after a pause in the polls, the time of the poll. If the daemon's log covers the start of the state: the end of that log" }
to_at = { type = "TIMESTAMP", doc = "end of the state: the start of the next state; before a pause in the polls, the time of the last poll. If the daemon's log covers the end of the state: the start of that log" }
is_inferred = { type = "BOOLEAN", doc = "true if the start or the end is not a time that CTA reported. It is then the time of a poll, or a time at which the daemon's log ends or starts" }
volume = { type = "VARCHAR", doc = "label of the tape in the drive" }
mount_id = { type = "VARCHAR", doc = "CTA's number of the mount" }
reason = { type = "VARCHAR", doc = "reason that CTA gives for a drive that is down" }
file_id = { type = "VARCHAR", doc = "log file with the first answer to a poll that shows the state" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }
end_file_id = { type = "VARCHAR", doc = "log file with the line that shows the end of a down state; NULL for other states, and where no line shows the end" }
end_line_no = { type = "BIGINT", doc = "number of the line in end_file_id" }

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "to_at"
column_B = "from_at"
severity = "critical"
*/
WITH poll AS (
    -- two files may hold one answer; a report of ten minutes before the answer no longer shows the drive's state
    SELECT p.* EXCLUDE (drive), coalesce(d.drive, p.drive) AS drive, s.log_silence_s
    FROM bronze.cta_drive_poll p
    LEFT JOIN site.drive d ON d.logname = p.drive
    CROSS JOIN site.setting s
    WHERE coalesce(p.reported_at >= p.polled_at - INTERVAL 10 MINUTE, TRUE)
    QUALIFY row_number() OVER (PARTITION BY p.system, p.drive, p.polled_at, p.status ORDER BY p.file_id, p.line_no) = 1
),
asked AS (
    SELECT *, lag(polled_at) OVER w AS before_at, lead(polled_at) OVER w AS after_at, lag(status) OVER w AS before_status
    FROM (SELECT DISTINCT system, drive, polled_at, status, log_silence_s FROM poll WHERE is_current)
    WINDOW w AS (PARTITION BY system, drive ORDER BY polled_at, status)
),
near AS (
    SELECT system, drive, polled_at, before_status,
           CASE WHEN date_diff('microsecond', before_at, polled_at) / 1e6 <= log_silence_s THEN before_at END AS before_at,
           CASE WHEN date_diff('microsecond', polled_at, after_at) / 1e6 <= log_silence_s THEN after_at END AS after_at
    FROM asked
),
mark AS (
    SELECT p.system, p.drive, p.status, p.volume, p.mount_id, p.reason, p.polled_at, n.after_at, p.file_id, p.line_no,
           -- it started since the previous poll, or continues from there, or was found at the poll
           CASE WHEN p.since_at > n.before_at THEN least(p.since_at, p.polled_at)
                WHEN p.status = n.before_status AND n.before_at IS NOT NULL THEN n.before_at
                ELSE p.polled_at END AS begin_at,
           NOT coalesce(p.since_at > n.before_at AND p.since_at <= p.polled_at, FALSE) AS is_found
    FROM poll p
    JOIN near n ON n.system = p.system AND n.drive = p.drive AND n.polled_at = p.polled_at
    WHERE p.is_current OR p.since_at > n.before_at
),
placed AS (
    -- the last poll before a pause: the end of what it found is unknown
    SELECT *, coalesce(lead(begin_at) OVER w, polled_at) AS next_at, lead(is_found) OVER w AS next_is_found,
           lead(polled_at) OVER w AS next_polled_at
    FROM mark
    WINDOW w AS (PARTITION BY system, drive ORDER BY polled_at, begin_at, status)
),
ended AS (
    SELECT * EXCLUDE (next_at), CASE WHEN next_polled_at = polled_at OR after_at IS NOT NULL THEN next_at ELSE polled_at END AS end_at,
           CASE status WHEN 'STARTING' THEN 'mount' WHEN 'MOUNTING' THEN 'mount' WHEN 'TRANSFERRING' THEN 'transfer'
                       WHEN 'UNLOADING' THEN 'dismount' WHEN 'UNMOUNTING' THEN 'dismount'
                       WHEN 'DRAINING_TO_DISK' THEN 'drain' WHEN 'DOWN' THEN 'down' WHEN 'PROBING' THEN 'down'
                       WHEN 'CLEANING_UP' THEN 'down' WHEN 'SHUTDOWN' THEN 'down' WHEN 'UP' THEN 'idle'
                       ELSE 'unknown' END AS state
    FROM placed
),
numbered AS (
    SELECT *, sum(CASE WHEN is_same THEN 0 ELSE 1 END)
                  OVER (PARTITION BY system, drive ORDER BY begin_at, end_at ROWS UNBOUNDED PRECEDING) AS run
    FROM (SELECT *, coalesce(lag(state) OVER w = state AND lag(end_at) OVER w = begin_at
                             AND lag(mount_id) OVER w IS NOT DISTINCT FROM mount_id
                             AND CAST(lag(begin_at) OVER w AS DATE) = CAST(begin_at AS DATE), FALSE) AS is_same
          FROM ended WHERE end_at > begin_at
          WINDOW w AS (PARTITION BY system, drive ORDER BY begin_at, end_at))
),
stretch AS (
    SELECT system, drive, any_value(state) AS state, min(begin_at) AS from_at, max(end_at) AS to_at,
           arg_min(is_found, begin_at) OR coalesce(arg_max(coalesce(next_is_found, TRUE), begin_at), TRUE) AS is_inferred,
           max(volume) AS volume, max(mount_id) AS mount_id, arg_min(reason, begin_at) AS reason,
           arg_min(file_id, (begin_at, file_id, line_no)) AS file_id,
           arg_min(line_no, (begin_at, file_id, line_no)) AS line_no
    FROM numbered GROUP BY system, drive, run
),
-- where the daemon's own log covers the drive, polls add nothing
logged AS (
    SELECT o.drive, l.from_at, l.to_at
    FROM (SELECT drive, unnest([drive, logname, mover_host, system]) AS name FROM site.drive
          UNION SELECT drive, drive FROM stretch) o
    JOIN silver.log_coverage l ON l.host = o.name AND l.speaks_for = 'drives' AND l.source <> 'cta_admin' AND l.to_at > l.from_at
),
reached AS (
    SELECT drive, max(to_at) OVER (PARTITION BY drive ORDER BY from_at, to_at ROWS UNBOUNDED PRECEDING) AS from_at,
           lead(from_at) OVER (PARTITION BY drive ORDER BY from_at, to_at) AS to_at
    FROM logged
),
silence AS (
    SELECT drive, from_at, to_at FROM reached WHERE to_at IS NULL OR to_at > from_at
    UNION ALL
    SELECT drive, CAST(NULL AS TIMESTAMP), min(from_at) FROM logged GROUP BY drive
    UNION ALL
    SELECT DISTINCT drive, CAST(NULL AS TIMESTAMP), CAST(NULL AS TIMESTAMP) FROM stretch ANTI JOIN logged USING (drive)
),
piece AS (
    SELECT s.* EXCLUDE (from_at, to_at, is_inferred), greatest(s.from_at, q.from_at) AS from_at,
           least(s.to_at, q.to_at) AS to_at,
           s.is_inferred OR coalesce(q.from_at > s.from_at, FALSE) OR coalesce(q.to_at < s.to_at, FALSE) AS is_inferred
    FROM stretch s
    JOIN silence q ON q.drive = s.drive AND coalesce(q.from_at < s.to_at, TRUE) AND coalesce(q.to_at > s.from_at, TRUE)
)
SELECT CAST(from_at AS DATE) AS day, system, drive, state, from_at, to_at, is_inferred, volume, mount_id, reason, file_id,
       line_no, CASE WHEN is_ended THEN next_file_id END AS end_file_id, CASE WHEN is_ended THEN next_line_no END AS end_line_no
FROM (SELECT *, state = 'down' AND lead(from_at) OVER w = to_at AND lead(state) OVER w <> 'unknown' AS is_ended, lead(file_id) OVER w AS next_file_id,
             lead(line_no) OVER w AS next_line_no
      FROM piece WHERE to_at > from_at
      WINDOW w AS (PARTITION BY system, drive ORDER BY from_at))
