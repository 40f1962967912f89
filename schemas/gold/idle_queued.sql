/*
title = "Idle time of drives while requests waited"
grain = "one row per drive and site day on which logs show requests of its archive system"
why = "A drive's idle time is lost only while a request that the drive could serve is waiting. If a day has no row, no log shows requests of that day, so it is unknown whether a request waited."
partition = "month"
features = ["G1"]

[columns]
day = { type = "DATE", doc = "site day" }
drive = { type = "VARCHAR", doc = "drive" }
are_requests_known = { type = "BOOLEAN", doc = "true if logs show when a drive took at least one of the archive system's requests that waited or were taken that day" }
queued_us = { type = "BIGINT", unit = "us", doc = "time in which at least one request waited for drives of this kind (same archive system and technology), in microseconds, whether or not this drive was idle. Time counts only while a log covers this drive. Requests count only if a drive of this kind served them within a day. A request waits once two conditions hold: its tape is in no drive, and it has the age that its mount policy requires. The wait ends when a drive takes the request or the mount for it begins" }
idle_us = { type = "BIGINT", unit = "us", doc = "the part of queued_us in which the drive was idle" }
lost_us = { type = "BIGINT", unit = "us", doc = "lost part of idle_us, in microseconds. While the idle drives of this kind outnumbered the mounts that waited, only a share of each drive's idle time counts as lost: waiting mounts / idle drives" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "drive"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "queued_us"
column_B = "idle_us"
or_equal = true
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "idle_us"
column_B = "lost_us"
or_equal = true
severity = "critical"
*/
WITH owned AS (SELECT drive, generation, system FROM site.drive),
-- A request waits that is in the queue, at most a day old, not by choice of a mount policy, whose tape is in no drive and
-- that a drive of the kind served later.
mount AS (
    SELECT system, session_id, from_at,
           CASE WHEN volume IS NOT NULL THEN lag(to_at) OVER (PARTITION BY system, volume ORDER BY from_at, session_id) END AS free_at
    FROM silver.session
),
served AS (
    SELECT system, unique_id, session_id, drive, started_at
    FROM (SELECT system, unique_id, transfer_id, session_id, drive, started_at FROM silver.transfer
          UNION ALL
          -- for some requests only their mount is known
          SELECT system, session_id, session_id, session_id, drive, from_at FROM silver.session)
    WHERE unique_id IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY system, unique_id ORDER BY started_at, transfer_id) = 1
),
waited AS (
    SELECT r.system, o.generation, coalesce(t.session_id, r.request_id) AS mount_id, greatest(coalesce(r.due_at, r.queued_at), m.free_at) AS from_at,
           least(r.assigned_at, m.from_at, r.queued_at + INTERVAL 1 DAY) AS to_at
    FROM silver.request r
    JOIN served t ON t.system = r.system AND t.unique_id = r.request_id
        AND t.started_at BETWEEN r.queued_at AND r.queued_at + INTERVAL 1 DAY
    JOIN owned o ON o.drive = t.drive
    LEFT JOIN mount m ON m.system = t.system AND m.session_id = t.session_id
),
reached AS (
    SELECT *, max(to_at) OVER (PARTITION BY system, generation ORDER BY from_at, to_at
                               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_at
    FROM waited WHERE to_at > from_at
),
island AS (
    SELECT system, generation, from_at, to_at,
           -- not count(*) FILTER: DuckDB counts the whole frame again for each row
           count(CASE WHEN before_at IS NULL OR before_at < from_at THEN 1 END)
               OVER (PARTITION BY system, generation ORDER BY from_at, to_at ROWS UNBOUNDED PRECEDING) AS n
    FROM reached
),
queue AS (
    SELECT system, generation, min(from_at) AS from_at, max(to_at) AS to_at FROM island GROUP BY system, generation, n
),
logged AS (
    SELECT l.drive, l.from_at, l.to_at, c.zone,
           unnest(site_days(l.from_at, l.to_at, c.zone)) AS day
    FROM silver.drive_coverage l CROSS JOIN site.setting c
),
clipped AS (
    SELECT drive, greatest(from_at, day_begin(day, zone)) AS from_at,
           least(to_at, day_end(day, zone)) AS to_at
    FROM logged
),
span AS (
    SELECT o.drive, q.from_at, q.to_at, 1 AS waiting, 0 AS logging, 0 AS stated
    FROM queue q JOIN owned o ON o.system = q.system AND o.generation IS NOT DISTINCT FROM q.generation
    UNION ALL
    SELECT drive, from_at, to_at, 0, 1, 0 FROM clipped WHERE to_at > from_at
    UNION ALL
    SELECT d.drive, d.from_at, d.to_at, 0, 0, 1
    FROM silver.drive_state d JOIN owned o ON o.drive = d.drive AND o.system = d.system
),
edge AS (
    SELECT drive, edge_at, sum(waiting) AS waiting, sum(logging) AS logging, sum(stated) AS stated
    FROM (SELECT drive, from_at AS edge_at, waiting, logging, stated FROM span
          UNION ALL SELECT drive, to_at, -waiting, -logging, -stated FROM span)
    GROUP BY drive, edge_at
    -- most states follow upon each other; coverage is cut where a day ends
    HAVING sum(waiting) <> 0 OR sum(stated) <> 0 OR bool_or(logging <> 0)
),
stretch AS (
    SELECT drive, edge_at, lead(edge_at) OVER w AS next_at, sum(waiting) OVER w AS waiting,
           sum(logging) OVER w AS logging, sum(stated) OVER w AS stated
    FROM edge WINDOW w AS (PARTITION BY drive ORDER BY edge_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
),
-- Of several idle drives, a mount that waits needs one: each of n drives loses the n-th part of the time of one mount.
idle AS (
    SELECT o.system, o.generation, s.drive, s.edge_at AS from_at, s.next_at AS to_at
    FROM stretch s JOIN owned o ON o.drive = s.drive
    WHERE s.waiting > 0 AND s.logging > 0 AND s.stated = 0 AND s.next_at IS NOT NULL
),
needed AS (
    SELECT system, generation, min(from_at) AS from_at, max(to_at) AS to_at FROM waited WHERE to_at > from_at
    GROUP BY system, generation, mount_id
),
step AS (
    SELECT system, generation, step_at, sum(n_mounts) AS n_mounts, sum(n_idle) AS n_idle
    FROM (SELECT system, generation, from_at AS step_at, 1 AS n_mounts, 0 AS n_idle FROM needed
          UNION ALL SELECT system, generation, to_at, -1, 0 FROM needed
          UNION ALL SELECT system, generation, from_at, 0, 1 FROM idle
          UNION ALL SELECT system, generation, to_at, 0, -1 FROM idle)
    GROUP BY system, generation, step_at
),
level AS (
    SELECT system, generation, step_at, lead(step_at) OVER w AS next_at, sum(n_mounts) OVER w AS n_mounts,
           sum(n_idle) OVER w AS n_idle
    FROM step WINDOW w AS (PARTITION BY system, generation ORDER BY step_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
),
-- what one idle drive has lost from the first step up to each: the difference of two steps is the loss between them
lost_so_far AS (
    SELECT system, generation, step_at,
           coalesce(sum(CASE WHEN n_idle > 0 THEN CAST(round(date_diff('microsecond', step_at, next_at) * least(1, n_mounts / n_idle)) AS BIGINT)
                             ELSE 0 END) OVER before, 0) AS us
    FROM level
    WINDOW before AS (PARTITION BY system, generation ORDER BY step_at ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
),
unused AS (
    SELECT site_day(i.from_at, c.zone) AS day, i.drive, sum(b.us - a.us) AS us
    FROM idle i CROSS JOIN site.setting c
    JOIN lost_so_far a ON a.system = i.system AND a.generation IS NOT DISTINCT FROM i.generation AND a.step_at = i.from_at
    JOIN lost_so_far b ON b.system = i.system AND b.generation IS NOT DISTINCT FROM i.generation AND b.step_at = i.to_at
    GROUP BY ALL
),
queued AS (
    SELECT site_day(s.edge_at, c.zone) AS day, s.drive,
           -- while the drive was idle, and in total
           coalesce(sum(date_diff('microsecond', s.edge_at, s.next_at)) FILTER (s.stated = 0), 0) AS us,
           sum(date_diff('microsecond', s.edge_at, s.next_at)) AS asked_us
    FROM stretch s CROSS JOIN site.setting c
    WHERE s.waiting > 0 AND s.logging > 0 AND s.next_at IS NOT NULL
    GROUP BY ALL
),
-- the days for which logs show what was requested: a request, at most a day old, waited for a drive
known AS (
    SELECT DISTINCT r.system,
           unnest(site_days(coalesce(r.queued_at, r.assigned_at),
                            least(r.assigned_at, r.queued_at + INTERVAL 1 DAY) + INTERVAL 1 MICROSECOND, c.zone)) AS day
    FROM silver.request r CROSS JOIN site.setting c
    WHERE r.assigned_at IS NOT NULL
),
-- a request of which no log shows when a drive took it waits all the same
asked AS (
    SELECT k.day, o.drive, true AS is_known FROM known k JOIN owned o ON o.system = k.system
    UNION ALL SELECT day, drive, false FROM queued
)
SELECT a.day, a.drive, bool_or(a.is_known) AS are_requests_known, CAST(coalesce(any_value(q.asked_us), 0) AS BIGINT) AS queued_us,
       CAST(coalesce(any_value(q.us), 0) AS BIGINT) AS idle_us,
       CAST(coalesce(any_value(u.us), 0) AS BIGINT) AS lost_us
FROM asked a
LEFT JOIN queued q ON q.day = a.day AND q.drive = a.drive
LEFT JOIN unused u ON u.day = a.day AND u.drive = a.drive
GROUP BY a.day, a.drive
