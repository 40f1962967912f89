/*
title = "States of drives from their movers' broadcasts"
grain = "one row per interval in which the broadcasts of a mover show one state, where no log of the archive's drives covers that interval"
why = "Shows the states of a drive where no log covers it. Movers broadcast their states on the network. Broadcasts do not show file marks, checksums or the exchange of requests. Where a log covers the drive, the log is used instead."
partition = "day"
lineage = ["file_id", "line_no", "end_file_id", "end_line_no"]
features = ["D4"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive" }
state = { type = "VARCHAR", doc = "state of the drive, as in silver.drive_state: transfer, database, position, start, no_request, mount, dismount or down" }
from_at = { type = "TIMESTAMP", doc = "start" }
to_at = { type = "TIMESTAMP", doc = "end" }
is_inferred = { type = "BOOLEAN", doc = "true if from_at or to_at is not the time of a broadcast. The state was then cut: a log of the drives starts or ends there, or the recording of broadcasts ends" }
file_id = { type = "VARCHAR", doc = "log file with the broadcast at which the state starts" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }
end_file_id = { type = "VARCHAR", doc = "log file with the line that shows the end of a down state; NULL for other states, and where no line shows the end" }
end_line_no = { type = "BIGINT", doc = "number of the line in end_file_id" }

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "to_at"
column_B = "from_at"
severity = "critical"
*/
WITH broadcast AS (
    SELECT *, count(*) OVER (PARTITION BY file_id) AS n_held,
           row_number() OVER (PARTITION BY system, mover, logged_at, state, file_id ORDER BY line_no) AS nth,
           min(logged_at) OVER (PARTITION BY file_id) AS first_at, max(logged_at) OVER (PARTITION BY file_id) AS last_at
    FROM bronze.enstore_relay WHERE kind = 'state'
),
translated AS (
    SELECT r.system, coalesce(d.drive, r.mover) AS drive, r.logged_at AS from_at, r.first_at, r.last_at, r.file_id,
           r.line_no,
           CASE r.state WHEN 'SETUP' THEN 'start' WHEN 'MOUNT_WAIT' THEN 'mount' WHEN 'SEEK' THEN 'position'
                        WHEN 'ACTIVE' THEN 'transfer' WHEN 'FINISH_WRITE' THEN 'database'
                        WHEN 'HAVE_BOUND' THEN 'no_request' WHEN 'DISMOUNT_WAIT' THEN 'dismount'
                        WHEN 'CLEANING' THEN 'down' WHEN 'OFFLINE' THEN 'down' WHEN 'ERROR' THEN 'down'
                        WHEN 'IDLE' THEN 'idle' ELSE 'unknown' END AS state
    FROM broadcast r LEFT JOIN site.drive d ON d.mover = r.mover || '.mover'
    -- two captures of one day hold the same; the larger one gives the order within a second
    QUALIFY row_number() OVER (
        PARTITION BY r.system, r.mover, r.logged_at, r.state, r.nth ORDER BY r.n_held DESC, r.file_id, r.line_no) = 1
),
following AS (
    -- if a capture is cut within a second, the part that starts or ends first comes first
    SELECT *, lead(from_at) OVER w AS next_at, lead(file_id) OVER w AS next_file_id, lead(line_no) OVER w AS next_line_no
    FROM translated
    WINDOW w AS (PARTITION BY system, drive ORDER BY from_at, first_at, last_at, file_id, line_no)
),
-- runs of coverage, joined where they were only cut at midnight
edge AS (
    SELECT speaks_for, host AS system, from_at, to_at,
           from_at > max(to_at) OVER (PARTITION BY speaks_for, host ORDER BY from_at, to_at
                                      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS is_after_pause
    FROM silver.log_coverage WHERE speaks_for = 'drives' OR source = 'enstore_relay'
),
numbered AS (
    SELECT *, sum(CASE WHEN is_after_pause THEN 1 ELSE 0 END)
                  OVER (PARTITION BY speaks_for, system ORDER BY from_at, to_at ROWS UNBOUNDED PRECEDING) AS run
    FROM edge
),
covered AS (
    SELECT speaks_for, system, min(from_at) AS from_at, max(to_at) AS to_at FROM numbered GROUP BY speaks_for, system, run
),
silent AS (
    -- the times without a log: before, between and after its runs, or all of it
    SELECT system, to_at AS from_at,
           coalesce(lead(from_at) OVER (PARTITION BY system ORDER BY from_at), TIMESTAMP '9999-01-01') AS to_at
    FROM covered WHERE speaks_for = 'drives'
    UNION ALL
    SELECT t.system, TIMESTAMP '0001-01-01', coalesce(min(c.from_at), TIMESTAMP '9999-01-01')
    FROM (SELECT DISTINCT system FROM translated) t
    LEFT JOIN covered c ON c.system = t.system AND c.speaks_for = 'drives'
    GROUP BY t.system
),
stand_in AS (
    SELECT f.system, f.drive, f.state, greatest(f.from_at, s.from_at) AS from_at,
           least(coalesce(f.next_at, c.to_at), c.to_at, s.to_at) AS to_at,
           s.from_at > f.from_at OR least(c.to_at, s.to_at) < coalesce(f.next_at, TIMESTAMP '9999-01-01') AS is_inferred,
           f.file_id, f.line_no, f.state = 'down' AND f.next_at <= least(c.to_at, s.to_at) AS has_end, f.next_file_id, f.next_line_no
    FROM following f
    JOIN covered c ON c.speaks_for = 'drive_states' AND c.system = f.system AND f.from_at BETWEEN c.from_at AND c.to_at
    JOIN silent s ON s.system = f.system AND s.from_at < coalesce(f.next_at, c.to_at) AND s.to_at > f.from_at
    WHERE f.state NOT IN ('idle', 'unknown')
)
SELECT CAST(from_at AS DATE) AS day, system, drive, state, from_at, to_at, is_inferred, file_id, line_no,
       CASE WHEN has_end THEN next_file_id END AS end_file_id, CASE WHEN has_end THEN next_line_no END AS end_line_no
FROM stand_in
WHERE to_at > from_at
