/*
title = "States of drives from their counters"
grain = "one row per interval and UTC day in which a drive's counters show one activity. Times are left out if a log of the archive covers the drive then, or if a poll shows a state other than transfer or idle"
why = "Shows what drives did where the archive has no log. Counters do not show the order of activities within a sampled interval. Tape motion is assumed to come first, then the transfer, then idle time. A command counts in the interval in which it completes. If the commands of an interval took longer than the interval, they extend back into earlier idle time. They extend at most to UTC midnight or to a pause in the samples."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive" }
state = { type = "VARCHAR", doc = "activity of the drive. transfer: reads and writes. position: other commands, such as winding, rewinding and file marks. occupied: commands whose bytes the counters miss. idle: no command; a tape may be in the drive" }
from_at = { type = "TIMESTAMP", doc = "start" }
to_at = { type = "TIMESTAMP", doc = "end" }
session_id = { type = "VARCHAR", doc = "identifier of the mount. Where no mount is known, identifier of a stretch of use, as in silver.drive_counter: a series of intervals with commands, without a pause over ten minutes or a reset of the counters. NULL where there is neither a mount nor a command" }
file_id = { type = "VARCHAR", doc = "log file with the first counter sample that shows the state" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "to_at"
column_B = "from_at"
severity = "critical"
*/
WITH timed AS (
    SELECT *, date_diff('microsecond', from_at, to_at) AS long_us, CAST(round(1e6 * (read_s + write_s)) AS BIGINT) AS moving_us,
           CAST(round(1e6 * (read_s + write_s + motion_s)) AS BIGINT) AS busy_us
    FROM silver.drive_counter
    WHERE drive IS NOT NULL AND read_s + write_s + motion_s IS NOT NULL
),
followed AS (
    SELECT *, lag(to_at) OVER (PARTITION BY day, drive ORDER BY from_at) AS before_at FROM timed
),
reached AS (
    -- a long command extends back to a pause in the samples, or to the end of the previous state
    SELECT *, max(CASE WHEN before_at = from_at THEN NULL ELSE from_at END)
                  OVER (PARTITION BY day, drive ORDER BY from_at ROWS UNBOUNDED PRECEDING) AS unbroken_from_at,
           max(CASE WHEN busy_us > 0 THEN from_at + to_microseconds(least(busy_us, long_us)) END)
               OVER (PARTITION BY day, drive ORDER BY from_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS last_busy_at
    FROM followed
),
begun AS (
    SELECT *, CASE WHEN busy_us > long_us
                   THEN greatest(to_at - to_microseconds(busy_us), unbroken_from_at, last_busy_at) ELSE from_at END AS begin_at
    FROM reached
),
laid AS (
    SELECT *, least(busy_us, date_diff('microsecond', begin_at, to_at)) AS laid_us FROM begun
),
ended AS (
    SELECT *, begin_at + to_microseconds(laid_us - least(moving_us, laid_us)) AS motion_to_at,
           begin_at + to_microseconds(laid_us) AS moving_to_at,
           min(begin_at) OVER (PARTITION BY day, drive ORDER BY from_at
                               ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS next_begin_at
    FROM laid
),
piece AS (
    SELECT day, system, drive, CASE WHEN is_blind THEN 'occupied' ELSE 'position' END AS state, begin_at AS from_at,
           motion_to_at AS to_at, session_id, file_id, line_no
    FROM ended
    UNION ALL
    SELECT day, system, drive, CASE WHEN is_blind THEN 'occupied' ELSE 'transfer' END, motion_to_at, moving_to_at, session_id,
           file_id, line_no
    FROM ended
    UNION ALL
    SELECT day, system, drive, 'idle', moving_to_at, least(to_at, next_begin_at), session_id, file_id, line_no FROM ended
),
-- where the archive's own log covers the drive, counters add nothing; polls do not show what a drive does while it holds a tape
logged AS (
    SELECT o.drive, l.day, l.from_at, l.to_at
    FROM (SELECT DISTINCT drive, unnest([drive, logname, mover_host, system]) AS name FROM site.drive) o
    JOIN silver.log_coverage l ON l.host = o.name AND l.to_at > l.from_at
        AND (l.speaks_for = 'drives' AND l.source <> 'cta_admin' OR l.speaks_for = 'drive_states')
    UNION ALL
    SELECT drive, day, from_at, to_at FROM silver.cta_poll_state WHERE state NOT IN ('transfer', 'idle')
),
silence AS (
    SELECT drive, day, from_at, to_at
    FROM (SELECT drive, day, max(to_at) OVER w AS from_at,
                 coalesce(lead(from_at) OVER (PARTITION BY drive, day ORDER BY from_at, to_at), day + INTERVAL 1 DAY) AS to_at
          FROM logged WINDOW w AS (PARTITION BY drive, day ORDER BY from_at, to_at ROWS UNBOUNDED PRECEDING))
    WHERE to_at > from_at
    UNION ALL
    SELECT drive, day, CAST(day AS TIMESTAMP), min(from_at) FROM logged GROUP BY drive, day
    UNION ALL
    SELECT DISTINCT drive, day, CAST(day AS TIMESTAMP), day + INTERVAL 1 DAY FROM timed ANTI JOIN logged USING (drive, day)
),
alone AS (
    SELECT p.* EXCLUDE (from_at, to_at), greatest(p.from_at, s.from_at) AS from_at, least(p.to_at, s.to_at) AS to_at
    FROM piece p JOIN silence s ON s.drive = p.drive AND s.day = p.day AND s.from_at < p.to_at AND s.to_at > p.from_at
    WHERE p.to_at > p.from_at
),
numbered AS (
    SELECT *, sum(CASE WHEN is_same THEN 0 ELSE 1 END)
                  OVER (PARTITION BY day, drive ORDER BY from_at ROWS UNBOUNDED PRECEDING) AS run
    FROM (SELECT *, coalesce(lag(state) OVER w = state AND lag(to_at) OVER w = from_at
                             AND lag(session_id) OVER w IS NOT DISTINCT FROM session_id, FALSE) AS is_same
          FROM alone WHERE to_at > from_at
          WINDOW w AS (PARTITION BY day, drive ORDER BY from_at))
)
SELECT day, any_value(system) AS system, drive, any_value(state) AS state, min(from_at) AS from_at, max(to_at) AS to_at,
       any_value(session_id) AS session_id, arg_min(file_id, from_at) AS file_id, arg_min(line_no, from_at) AS line_no
FROM numbered
GROUP BY day, drive, run
