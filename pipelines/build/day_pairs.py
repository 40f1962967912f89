"""SQL of pairs of days that a build links: lines of both are about one mount, outage or request."""

# Pairs of days with something open from one to the other: by today's logs, and by what was built before.
LINKS = """
WITH step AS (
    SELECT system, name, day, logged_at, kind IN ('dismounted', 'load_failed', 'restart', 'cleaning_ended') AS is_last,
           kind = 'ticket' AS is_ticket, kind IN ('request', 'ticket') AS is_request,
           -- as silver.mover_step has it
           kind IN ('load_requested', 'loaded', 'load_failed', 'position', 'skipped', 'started', 'data_ended',
                    'completed', 'failed', 'restart') AS is_use
    FROM bronze.enstore_log_mover
    WHERE kind NOT IN ('done_ticket', 'timing', 'drive_stats', 'slow_drive', 'no_access', 'assert')
),
drive_day AS (
    -- of the last second all steps count: line numbers of several files do not give the last of them
    SELECT system, name, day, bool_or(is_last) AS was_free, bool_or(is_request OR is_use) AS was_used,
           max(logged_at) FILTER (NOT is_ticket) = max(logged_at) FILTER (NOT is_ticket AND NOT is_last) AS is_in_use,
           -- since the request only another tape was dismounted
           max(logged_at) FILTER (is_request) >= coalesce(max(logged_at) FILTER (is_use), day) AS is_asked
    FROM step
    GROUP BY system, name, day
),
-- what is open at midnight ends on the next day on which the drive was free, or with the log
begun AS (
    SELECT *, was_free OR NOT coalesce(lag(is_open) OVER days, FALSE) AS begins
    FROM (SELECT *, coalesce(is_in_use, FALSE) OR coalesce(
                        last_value(CASE WHEN was_used THEN is_asked END IGNORE NULLS) OVER days, FALSE) AS is_open
          FROM drive_day WINDOW days AS (PARTITION BY system, name ORDER BY day ROWS UNBOUNDED PRECEDING))
    WINDOW days AS (PARTITION BY system, name ORDER BY day)
),
numbered AS (
    SELECT *, count(*) FILTER (begins) OVER (PARTITION BY system, name ORDER BY day) AS number FROM begun
),
stretch AS (
    SELECT system, name, min(day) AS first_day, arg_max(is_open, day) AS is_open FROM numbered
    GROUP BY system, name, number
),
following AS (
    SELECT *, lead(first_day) OVER (PARTITION BY system, name ORDER BY first_day) AS next_day FROM stretch
)
SELECT first_day, coalesce(next_day, (
    SELECT max(CAST(to_at AS DATE)) FROM bronze.log_coverage WHERE source = 'enstore_log'
))
FROM following
WHERE is_open
UNION
-- a mount in the accounting lasts up to its dismount, which may fail first; without one, up to what its drive did next,
-- or as far as transfers are put to it
SELECT min(day), max(CASE WHEN state IN ('E', 'D') THEN day ELSE coalesce(next_day, day + 2) END)
FROM (
    SELECT system, logname, day, state, next_day,
           count(*) FILTER (begins) OVER (entries ROWS UNBOUNDED PRECEDING) AS number
    FROM (
        SELECT *, lead(day) OVER entries AS next_day,
               action = 'mount' OR coalesce(lag(state) OVER entries IN ('E', 'D'), TRUE) AS begins
        FROM bronze.enstore_accounting_mount WHERE action IS NOT NULL
        WINDOW entries AS (PARTITION BY system, logname ORDER BY began_at, action DESC)
    )
    WINDOW entries AS (PARTITION BY system, logname ORDER BY began_at, action DESC)
)
GROUP BY system, logname, number
UNION
SELECT CAST(min(from_at) AS DATE), CAST(max(to_at) AS DATE)
FROM (
    SELECT system, drive, mount_id, logged_at AS from_at, logged_at AS to_at FROM bronze.cta_step
    UNION ALL SELECT system, drive, mount_id, logged_at, logged_at FROM bronze.cta_file
    UNION ALL
    SELECT system, drive, mount_id,
           logged_at - to_microseconds(CAST(1e6 * (coalesce(total_s, 0) + coalesce(drain_s, 0)) AS BIGINT)), logged_at
    FROM bronze.cta_session
)
WHERE mount_id IS NOT NULL
GROUP BY system, drive, mount_id
UNION
-- a mount without an end keeps its drive up to the drive's next sign
SELECT CAST(o.to_at AS DATE), coalesce(s.day, (SELECT max(CAST(to_at AS DATE)) FROM bronze.log_coverage))
FROM (
    SELECT system, drive, max(logged_at) AS to_at
    FROM (
        SELECT system, drive, mount_id, logged_at, kind IN ('unmounted', 'killed') AS is_last FROM bronze.cta_step
        UNION ALL SELECT system, drive, mount_id, logged_at, FALSE FROM bronze.cta_file
        UNION ALL SELECT system, drive, mount_id, logged_at, TRUE FROM bronze.cta_session
    )
    WHERE mount_id IS NOT NULL
    GROUP BY system, drive, mount_id HAVING NOT bool_or(is_last)
) o
ASOF LEFT JOIN (
    SELECT system, drive, day, logged_at FROM bronze.cta_step
    WHERE kind IN ('drive_status', 'state_changed', 'session_started')
) s ON s.system = o.system AND s.drive = o.drive AND s.logged_at > o.to_at
UNION
-- a drive that is down stays so up to its next line, or as long as any log goes on
SELECT day, coalesce(lead(day) OVER (PARTITION BY system, drive ORDER BY logged_at, file_id, line_no), (
    SELECT max(CAST(to_at AS DATE)) FROM bronze.log_coverage
))
FROM (
    SELECT system, drive, day, logged_at, state, file_id, line_no FROM bronze.cta_step
    WHERE kind IN ('drive_status', 'session_started')
    UNION ALL
    SELECT system, drive, day, logged_at, NULL, file_id, line_no FROM bronze.cta_session WHERE mount_id IS NOT NULL
)
QUALIFY state IN ('DOWN', 'PROBING', 'CLEANINGUP', 'CLEANING_UP', 'SHUTDOWN')
UNION
-- a state that a mover broadcast lasts up to its next one, at most while its system's messages are captured every day
SELECT s.day, least(s.next_day, c.last_day)
FROM (
    SELECT system, day, state,
           lead(day) OVER (PARTITION BY system, mover ORDER BY logged_at, file_id, line_no) AS next_day
    FROM bronze.enstore_relay WHERE kind = 'state'
) s
JOIN (
    SELECT host, day, max(day) OVER (PARTITION BY host, run) AS last_day
    FROM (SELECT host, day, day - CAST(row_number() OVER (PARTITION BY host ORDER BY day) AS INTEGER) AS run
          FROM (SELECT DISTINCT host, day FROM bronze.log_coverage WHERE source = 'enstore_relay'))
) c ON c.host = s.system AND c.day = s.day
WHERE s.state <> 'IDLE'
UNION
-- what TSM's server lists; a mount without an end lasts at most until the drive's next one
SELECT CAST(started_at AS DATE), CAST(ended_at AS DATE) FROM bronze.tsm_summary
WHERE CAST(ended_at AS DATE) > CAST(started_at AS DATE)
UNION
SELECT CAST(started_at AS DATE),
       CAST(coalesce(max(ended_at),
                     lead(started_at) OVER (PARTITION BY system, library, drive ORDER BY started_at)) AS DATE)
FROM bronze.tsm_summary
WHERE activity = 'TAPE MOUNT'
GROUP BY system, library, drive, volume, started_at
UNION
SELECT CAST(logged_at AS DATE),
       CAST(greatest(lead(logged_at) OVER (PARTITION BY system, drive ORDER BY logged_at, kind),
                     lead(logged_at) OVER (PARTITION BY system, drive, device ORDER BY logged_at, kind)) AS DATE)
FROM bronze.tsm_actlog
WHERE kind IN ('mounted', 'dismounted')
QUALIFY kind = 'mounted'
UNION
SELECT CAST(ended_at - to_seconds(took_s) AS DATE), CAST(ended_at AS DATE) FROM bronze.tsm_accounting
UNION
SELECT CAST(min(b.logged_at) AS DATE), CAST(p.logged_at AS DATE)
FROM bronze.tsm_actlog p
JOIN bronze.tsm_actlog b ON b.system = p.system AND b.task = p.task AND b.number = p.number
    AND b.logged_at BETWEEN p.logged_at - INTERVAL 2 DAY AND p.logged_at
WHERE p.kind = 'processed'
GROUP BY p.system, p.number, p.logged_at
UNION
SELECT CAST(mounted_at AS DATE), CAST(mounted_at + to_seconds(residency_s) AS DATE) FROM bronze.library_mount
UNION
-- intervals of counters are cut at midnight; of longer ones than two days all are made together
SELECT day, CAST(to_at AS DATE) FROM bronze.drive_counter WHERE CAST(to_at AS DATE) > day + 1
UNION
SELECT day, CAST(to_at AS DATE) FROM silver.drive_state WHERE CAST(to_at AS DATE) > day AND witness <> 'counter'
UNION
SELECT day, CAST(to_at AS DATE) FROM silver.session WHERE CAST(to_at AS DATE) > day AND witnesses <> 'counter'
UNION
SELECT day, CAST(ended_at AS DATE) FROM silver.tsm_session WHERE CAST(ended_at AS DATE) > day
"""

# Pairs of days around a hole in a log of drives: what began before the hole may end with it or after it.
HOLES = """
SELECT CAST(max(to_at) OVER sofar AS DATE), CAST(lead(from_at) OVER sofar AS DATE)
FROM bronze.log_coverage SEMI JOIN (SELECT source FROM site.source WHERE speaks_for = 'drives') USING (source)
WINDOW sofar AS (PARTITION BY host ORDER BY from_at, to_at)
UNION
-- a hole may have grown since
SELECT CAST(from_at AS DATE), CAST(to_at AS DATE) FROM silver.coverage_gap
"""

# The day on which the client began, which its request id holds; the row's own where that is over a month away.
_START = "regexp_extract(unique_id, '-([0-9]{9,10})-[0-9]+-[0-9]+$', 1)"
_START = f"CAST(make_timestamp(1000000 * TRY_CAST({_START} AS BIGINT)) AS DATE)"
_BEGUN = f"CASE WHEN {_START} BETWEEN day - 31 AND day THEN {_START} ELSE day END"

# Pairs of days with lines about one request of Enstore, of the requests that some days have lines of. A mover's ticket
# and a row of the accounting also name the day on which it was queued, which may be before the log begins.
ENSTORE_REQUESTS = f"""
WITH request_lines AS NOT MATERIALIZED (
    SELECT system, unique_id, day FROM bronze.enstore_log_manager WHERE unique_id IS NOT NULL
    UNION ALL
    SELECT system, unique_id, unnest([day, CAST(queued_at AS DATE)]) FROM bronze.enstore_log_mover
    WHERE unique_id IS NOT NULL
    UNION ALL
    SELECT system, unique_id, day FROM bronze.enstore_log_encp WHERE unique_id IS NOT NULL
    UNION ALL
    SELECT system, unique_id, unnest([day, {_BEGUN}]) FROM bronze.enstore_accounting_transfer
    UNION ALL
    SELECT system, unique_id, unnest([day, {_BEGUN}]) FROM bronze.enstore_accounting_error
    UNION ALL
    SELECT system, request_id, day FROM silver.request
),
-- few of all: those of these days are looked for in the others
touched AS (
    SELECT DISTINCT system, unique_id, day FROM request_lines WHERE day IN (SELECT unnest($days))
)
SELECT DISTINCT a.day, b.day
FROM touched a JOIN request_lines b ON b.system = a.system AND b.unique_id = a.unique_id AND b.day <> a.day
"""

# The same for CTA, whose lines have no number of a request. A file belongs to the latest request before it that was not
# served yet, as in silver.cta_transfer, and a mount to the day on which the oldest of its files was queued, both now
# and as built before. A line has its end but not its start: where two requests are possible, both are linked.
CTA_REQUESTS = """
WITH touched AS (
    SELECT system, archive_file_id FROM bronze.cta_request WHERE day IN (SELECT unnest($days))
    UNION
    SELECT system, archive_file_id FROM bronze.cta_file WHERE day IN (SELECT unnest($days))
),
queued AS (
    SELECT system, mode, archive_file_id, logged_at, day FROM bronze.cta_request
    SEMI JOIN touched USING (system, archive_file_id)
),
line AS (
    SELECT system, drive, mount_id, kind, archive_file_id, logged_at, day, coalesce(tape_pool, volume) AS pool,
           logged_at - to_microseconds(CAST(1e6 * coalesce(total_s, 0) AS BIGINT)) AS begun_at
    FROM bronze.cta_file SEMI JOIN touched USING (system, archive_file_id)
),
mount AS (
    SELECT system, drive, mount_id, max(mount_type) AS mount_type, max(flushed_at) AS flushed_at
    FROM (SELECT system, drive, mount_id, mount_type, CASE WHEN kind = 'flushed' THEN logged_at END AS flushed_at
          FROM bronze.cta_step
          UNION ALL SELECT system, drive, mount_id, mount_type, NULL FROM bronze.cta_session)
    SEMI JOIN line USING (system, drive, mount_id)
    GROUP BY system, drive, mount_id
),
attempt AS (
    SELECT l.*, CASE WHEN l.kind = 'written' OR l.kind <> 'read' AND m.mount_type LIKE 'Archive%' THEN 'write'
                     ELSE 'read' END AS mode,
           CASE WHEN l.kind = 'read' THEN l.logged_at
                WHEN l.kind = 'written' AND m.flushed_at >= l.logged_at THEN m.flushed_at END AS done_at,
           unnest([l.begun_at, l.logged_at]) AS at
    FROM line l LEFT JOIN mount m ON m.system = l.system AND m.drive = l.drive AND m.mount_id = l.mount_id
),
put AS (
    SELECT q.day AS one, a.day AS other, a.begun_at,
           min(CASE WHEN a.at = a.begun_at THEN a.done_at END) OVER (
               PARTITION BY a.system, a.mode, a.archive_file_id, q.logged_at,
                            CASE WHEN a.mode = 'write' THEN a.pool END) AS served_at
    FROM attempt a ASOF JOIN queued q
        ON q.system = a.system AND q.mode = a.mode AND q.archive_file_id = a.archive_file_id AND q.logged_at <= a.at
),
pair AS (
    SELECT one, other FROM put WHERE begun_at <= coalesce(served_at, begun_at)
    UNION ALL
    SELECT day, CAST(logged_at - to_microseconds(CAST(1e6 * oldest_age_s AS BIGINT)) AS DATE)
    FROM bronze.cta_step WHERE kind = 'selected' AND oldest_age_s <= 366 * 86400
    UNION ALL
    SELECT day, CAST(queued_at AS DATE) FROM silver.cta_transfer
    UNION ALL
    SELECT day, CAST(unnest([assigned_at, done_at]) AS DATE) FROM silver.request
    WHERE is_of_mount OR starts_with(request_id, system || ':')
)
SELECT DISTINCT day, linked
FROM (SELECT one AS day, other AS linked FROM pair UNION ALL SELECT other, one FROM pair)
WHERE day <> linked AND day IN (SELECT unnest($days))
"""
