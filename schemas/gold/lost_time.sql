/*
title = "Lost time and possible gain"
grain = "one row per drive, site day and cause; the times of all causes of a drive's day add up exactly to the length of the day"
why = "Shows how each drive spent its day, how much of that time could be recovered, and how much more data would then move. The gain is capped by the next bottleneck, which limits the drive once the cause is fixed."
partition = "month"
features = ["G1", "M42", "MA5"]

[columns]
day = { type = "DATE", doc = "site day" }
drive = { type = "VARCHAR", doc = "drive" }
generation = { type = "VARCHAR", doc = "technology of the drive; NULL where site.toml does not name it" }
station = { type = "VARCHAR", doc = "station for which the drive moved most of its bytes that day; NULL where the drive moved no data" }
mode = { type = "VARCHAR", doc = "read or write: the mode in which the drive moved most of the station's bytes that day" }
cause = { type = "VARCHAR", doc = "what the drive spent the time on. slow_drive: all time in which data moved. long_gap: database, request and start. mount: mount and dismount. idle_queued: idle while a request waited for such a drive. idle_no_work: other idle time. The others are buckets of gold.drive_time_bucket: wait_data, wait_room, checksum, filemark, position, no_request, down, hung, drain, occupied, unknown" }
part = { type = "VARCHAR", doc = "for cause long_gap, the part that took most of the time in the long gaps: database, request or start; NULL for other causes" }
duration_us = { type = "BIGINT", unit = "us", doc = "time that the drive spent on this cause that day, in microseconds" }
day_us = { type = "BIGINT", unit = "us", doc = "length of the site day, in microseconds" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "upper limit of the recoverable hours. slow_drive: extra time compared with drives of the same kind. long_gap: time beyond the expected gap, in gaps that exceed it by more than excess_s of the rule long_gap. filemark, position, mount: time by which steps lasted longer than the 10th percentile of such steps that day, on drives of the same kind or, where the kind is not known, on the same drive. Mounts and dismounts are compared separately. idle_queued: the time, divided among all idle drives of the kind if fewer mounts waited than drives were idle. no_request, idle_no_work, occupied, unknown: zero, because there was no request or no log. Other causes: all of the time" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data of complete files that the drive moved that day" }
busy_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours at work that day: all except idle, no request, down, hung and unknown" }
rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "moved_gb / busy_hours, in MB/s; for a drive that moved no data, the rate of drives of the same kind that day" }
mended_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate_mb_s that the drive would reach without the lost time of this cause. It equals rate_mb_s for idle_queued, down and hung, where a fix gains hours instead of rate" }
supply_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest rate_mb_s that the next bottleneck allows, if only this drive is fixed; NULL where no log shows a next bottleneck, or the drive moved no data" }
bottleneck = { type = "VARCHAR", doc = "what would limit the drive next if the cause were fixed; NULL without lost time. input: the station receives no more data to write. work: no more was requested. output: the station's writing drives cannot write more of the data that is read. link: the link of the station or of the drive's host. drive: the drive itself, because other limits allow more. unknown: no log shows the next limit" }
asked_gb = { type = "DOUBLE", unit = "GB", doc = "for a drive that had no work for at least half of its time, upper limit of the gain: the data that it could have moved while requests for its kind of drive waited. NULL for other drives, where the station's input is the limit, and on days without a log of requests" }
naive_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "extra data per day if nothing else were a limit: (mended_mb_s - rate_mb_s) x busy time, or rate_mb_s x lost time if the cause is idle_queued, down or hung. NULL without lost time" }
gain_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "extra data per day that the next bottleneck allows: naive_gb_day, but at most (supply_mb_s - rate_mb_s) x busy time and at most asked_gb" }
place = { type = "BIGINT", doc = "rank of this drive and cause by gain_gb_day among all drives and causes of the day, 1 for the largest gain; NULL without a gain" }

[[checks]]
expectation = "UnexpectedRowsExpectation"
unexpected_rows_query = "SELECT day, drive FROM {batch} GROUP BY day, drive HAVING sum(duration_us) <> max(day_us)"
description = "the parts of a drive's day must add up to the day"
severity = "critical"

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "drive", "cause"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "lost_hours"
min_value = 0
max_value = 25
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "naive_gb_day"
column_B = "gain_gb_day"
or_equal = true
severity = "critical"
*/
WITH owned AS (
    SELECT d.drive, d.generation, d.system, coalesce(a.station, d.mover_host) AS mover_host
    FROM site.drive d LEFT JOIN site.station_alias a ON a.alias = short_host(d.mover_host)
),
-- 1. bytes that each drive moved, and its time at work
per_station AS (
    SELECT day AS on_day, drive, station, mode, sum(bytes) AS bytes FROM gold.tape_traffic
    GROUP BY day, drive, station, mode
),
moved AS (
    SELECT on_day, drive, sum(bytes) AS bytes, first(station ORDER BY station_bytes DESC, station, bytes DESC, mode) AS station,
           first(mode ORDER BY station_bytes DESC, station, bytes DESC, mode) AS mode
    FROM (SELECT *, sum(bytes) OVER (PARTITION BY on_day, drive, station) AS station_bytes FROM per_station)
    GROUP BY on_day, drive
),
worked AS (
    SELECT l.day, l.drive, o.generation, m.station, m.mode, coalesce(m.bytes, 0) AS bytes, max(l.day_us) AS day_us,
           coalesce(sum(l.duration_us) FILTER (l.bucket NOT IN ('idle', 'no_request', 'down', 'hung', 'unknown')), 0) AS busy_us,
           coalesce(sum(l.duration_us) FILTER (l.bucket NOT IN ('down', 'hung', 'unknown')), 0) AS able_us
    FROM gold.drive_ledger l
    LEFT JOIN owned o ON o.drive = l.drive
    LEFT JOIN moved m ON m.on_day = l.day AND m.drive = l.drive
    GROUP BY l.day, l.drive, o.generation, m.station, m.mode, m.bytes
),
usual AS (
    SELECT day, generation, sum(bytes) / nullif(sum(busy_us), 0) AS mb_s FROM worked
    WHERE bytes > 0 GROUP BY day, generation
),
-- 2. other limits of a station's drives: bytes more than today's, in total
tape AS (
    SELECT on_day AS day, station, sum(bytes) FILTER (mode = 'read') AS read_bytes,
           sum(bytes) FILTER (mode = 'write') AS write_bytes
    FROM per_station WHERE station IS NOT NULL GROUP BY on_day, station
),
able AS (
    SELECT day, station, sum(CAST(bytes AS DOUBLE) * able_us / busy_us) AS write_bytes FROM worked
    WHERE mode = 'write' AND busy_us > 0 GROUP BY day, station
),
link AS (
    SELECT f.day, f.station, f.direction, f.moved_gb * 1e9 AS bytes, k.capacity
    FROM gold.duty_factor f
    LEFT JOIN (SELECT d.day, l.station,
                      -- of a link without a known capacity nothing is known that would limit the station
                      CASE WHEN count(coalesce(l.capacity_mb_s, t.capacity_bytes_s, p.capacity_bytes_s)) = count(*)
                           THEN sum(coalesce(l.capacity_mb_s, t.capacity_bytes_s / 1e6, p.capacity_bytes_s / 1e6)) END AS capacity
               FROM site.link l CROSS JOIN (SELECT DISTINCT day FROM gold.duty_factor) d
               LEFT JOIN silver.link_target t ON t.target = lower(l.link)
               LEFT JOIN silver.link_capacity p ON p.link = l.link AND p.day = d.day
               GROUP BY d.day, l.station) k ON k.station = f.station AND k.day = f.day
),
-- 3. gaps beyond the expected one
over AS (
    SELECT site_day(g.started_at, c.zone) AS day, g.drive,
           CAST(round(1e6 * (g.avoidable_s - c.expected_gap_s)) AS BIGINT) AS us,
           CAST(round(1e6 * g.database_s) AS BIGINT) AS database_us,
           CAST(round(1e6 * g.request_s) AS BIGINT) AS request_us, CAST(round(1e6 * g.start_s) AS BIGINT) AS start_us
    FROM silver.gap g CROSS JOIN site.setting c
    WHERE g.avoidable_s > c.expected_gap_s + rule_limit('long_gap', 'excess_s')
),
long_gap AS (
    SELECT day, drive, sum(us) AS us,
           CASE greatest(sum(database_us), sum(request_us), sum(start_us))
               WHEN sum(request_us) THEN 'request' WHEN sum(database_us) THEN 'database' ELSE 'start' END AS part
    FROM over GROUP BY day, drive
),
-- 4. drives slower than their kind: at least 20 large files each, and two others to compare with
pace AS (
    SELECT day, drive, generation, mode, drive_rate_basis, sum(CAST(1e6 * drive_s AS BIGINT)) AS us,
           sum(bytes) / sum(CAST(1e6 * drive_s AS BIGINT)) AS mb_s
    FROM gold.file_rate WHERE generation IS NOT NULL
    GROUP BY day, drive, generation, mode, drive_rate_basis
    HAVING count(*) >= 20
),
slow AS (
    SELECT p.day, p.drive, p.mode, p.drive_rate_basis, p.us, p.mb_s, median(o.mb_s) AS others_mb_s
    FROM pace p
    JOIN pace o ON o.day = p.day AND o.generation = p.generation AND o.mode = p.mode AND o.drive <> p.drive
        AND o.drive_rate_basis IS NOT DISTINCT FROM p.drive_rate_basis
    GROUP BY p.day, p.drive, p.mode, p.drive_rate_basis, p.us, p.mb_s
    HAVING count(*) >= 2 AND p.mb_s < rule_limit('slow_drive', 'max_ratio') * median(o.mb_s)
),
slow_drive AS (
    SELECT day, drive, sum(CAST(round(us * (1 - mb_s / others_mb_s)) AS BIGINT)) AS us FROM slow GROUP BY day, drive
),
-- 5. file marks, tape motion and mounts longer than the fastest tenth of them that day: no site avoids them entirely
beyond AS (
    SELECT day, drive, cause, sum(lost_us) AS us FROM gold.motion_time GROUP BY day, drive, cause
),
-- 6. idle while work waited: a request in the queue, at most a day old, that does not wait by choice of a mount policy,
-- whose tape was in no drive and that a drive of this kind served later
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
    SELECT site_day(i.from_at, c.zone) AS day, i.drive, CAST(sum(b.us - a.us) AS BIGINT) AS us
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
-- 7. A drive that was without work for half of its time does not get more by being faster: data that came in and was not written, or requests that waited meanwhile, are all there is. One that was kept busy while as much came in as it
-- wrote, to a tenth, held the input back: nothing is read faster than there is room.
spare AS (
    SELECT l.day, l.drive,
           coalesce(sum(l.duration_us) FILTER (l.bucket IN ('idle', 'no_request')), 0)
               - least(coalesce(sum(l.duration_us) FILTER (l.bucket = 'idle'), 0), coalesce(any_value(q.us), 0)) AS free_us
    FROM gold.drive_ledger l LEFT JOIN queued q ON q.day = l.day AND q.drive = l.drive
    GROUP BY l.day, l.drive
),
-- the days for which logs show what was requested: a request, at most a day old, waited for a drive
known AS (
    SELECT DISTINCT r.system,
           unnest(site_days(coalesce(r.queued_at, r.assigned_at),
                            least(r.assigned_at, r.queued_at + INTERVAL 1 DAY) + INTERVAL 1 MICROSECOND, c.zone)) AS day
    FROM silver.request r CROSS JOIN site.setting c
    WHERE r.assigned_at IS NOT NULL
),
room AS (
    -- what comes in to be written: by its link; else, for stations that stage from tape to tape, what they read
    SELECT w.day, w.drive, coalesce(i.bytes, CASE WHEN s.role IS DISTINCT FROM 'stager' THEN t.read_bytes END) AS came_bytes,
           CASE WHEN w.mode = 'write' AND (2 * p.free_us >= w.able_us OR came_bytes - t.write_bytes > 0.1e0 * t.write_bytes)
                THEN came_bytes - t.write_bytes END AS input_bytes,
           CASE WHEN 2 * p.free_us >= w.able_us AND k.system IS NOT NULL AND (w.mode IS DISTINCT FROM 'write' OR came_bytes IS NULL)
                THEN coalesce(q.asked_us, 0) END AS asked_us,
           CASE WHEN w.mode = 'read' AND s.role = 'migration' THEN a.write_bytes - t.read_bytes END AS output_bytes,
           -- both ends of the path: what leaves the station comes in at the drive's host. least ignores NULL
           least(x.capacity * w.day_us - x.bytes, h.capacity * w.day_us - h.bytes) AS link_bytes
    FROM worked w
    JOIN spare p ON p.day = w.day AND p.drive = w.drive
    LEFT JOIN owned o ON o.drive = w.drive
    LEFT JOIN known k ON k.system = o.system AND k.day = w.day
    LEFT JOIN queued q ON q.day = w.day AND q.drive = w.drive
    LEFT JOIN site.station s ON s.station = w.station
    LEFT JOIN tape t ON t.day = w.day AND t.station = w.station
    LEFT JOIN able a ON a.day = w.day AND a.station = w.station
    LEFT JOIN link i ON i.day = w.day AND i.station = w.station AND i.direction = 'in'
    LEFT JOIN link x ON x.day = w.day AND x.station = w.station
        AND x.direction = CASE w.mode WHEN 'read' THEN 'in' ELSE 'out' END
    LEFT JOIN link h ON h.day = w.day AND h.station = o.mover_host AND o.mover_host <> w.station
        AND h.direction = CASE w.mode WHEN 'read' THEN 'out' ELSE 'in' END
),
next_limit AS (
    -- least ignores NULL: what no log shows is no limit here
    SELECT day, drive, asked_us, CASE WHEN least_bytes > 0 THEN least_bytes WHEN least_bytes <= 0 THEN 0 END AS room_bytes,
           CASE least_bytes WHEN input_bytes THEN 'input' WHEN output_bytes THEN 'output' WHEN link_bytes THEN 'link'
               END AS bottleneck
    FROM (SELECT *, least(input_bytes, output_bytes, link_bytes) AS least_bytes FROM room)
),
-- 8. the ledger by causes, and what part of each could be recovered
bucket AS (
    SELECT l.day, l.drive,
           CASE l.bucket WHEN 'transfer' THEN 'slow_drive' WHEN 'database' THEN 'long_gap' WHEN 'request' THEN 'long_gap'
                         WHEN 'start' THEN 'long_gap' WHEN 'dismount' THEN 'mount' WHEN 'idle' THEN 'idle_no_work'
                         ELSE l.bucket END AS cause,
           sum(l.duration_us) AS us
    FROM gold.drive_ledger l
    GROUP BY 1, 2, 3
),
caused AS (
    SELECT b.day, b.drive, b.cause,
           CASE WHEN b.cause = 'idle_no_work' THEN b.us - least(b.us, coalesce(q.us, 0)) ELSE b.us END AS us
    FROM bucket b LEFT JOIN queued q ON q.day = b.day AND q.drive = b.drive
    UNION ALL
    SELECT b.day, b.drive, 'idle_queued', least(b.us, q.us)
    FROM bucket b JOIN queued q ON q.day = b.day AND q.drive = b.drive
    WHERE b.cause = 'idle_no_work' AND q.us > 0
),
lost AS (
    SELECT c.day, c.drive, w.generation, w.station, w.mode, c.cause, g.part, c.us, w.day_us, w.bytes, w.busy_us,
           CASE c.cause WHEN 'slow_drive' THEN least(c.us, coalesce(s.us, 0))
                        WHEN 'long_gap' THEN least(c.us, coalesce(g.us, 0))
                        WHEN 'filemark' THEN least(c.us, coalesce(b.us, c.us))
                        WHEN 'position' THEN least(c.us, coalesce(b.us, c.us))
                        WHEN 'mount' THEN least(c.us, coalesce(b.us, c.us))
                        WHEN 'idle_queued' THEN least(c.us, coalesce(n.us, c.us))
                        WHEN 'no_request' THEN 0 WHEN 'idle_no_work' THEN 0 WHEN 'occupied' THEN 0 WHEN 'unknown' THEN 0
                        ELSE c.us END AS lost_us,
           coalesce(w.bytes / nullif(CASE WHEN w.bytes > 0 THEN w.busy_us END, 0), u.mb_s) AS mb_s
    FROM caused c
    JOIN worked w ON w.day = c.day AND w.drive = c.drive
    LEFT JOIN usual u ON u.day = w.day AND u.generation IS NOT DISTINCT FROM w.generation
    LEFT JOIN long_gap g ON g.day = c.day AND g.drive = c.drive AND c.cause = 'long_gap'
    LEFT JOIN beyond b ON b.day = c.day AND b.drive = c.drive AND b.cause = c.cause
    LEFT JOIN slow_drive s ON s.day = c.day AND s.drive = c.drive AND c.cause = 'slow_drive'
    LEFT JOIN unused n ON n.day = c.day AND n.drive = c.drive AND c.cause = 'idle_queued'
    WHERE c.us <> 0
),
naive AS (
    SELECT *, CASE WHEN lost_us = 0 THEN NULL
                   WHEN cause IN ('idle_queued', 'down', 'hung') THEN mb_s * lost_us
                   WHEN bytes > 0 AND lost_us < busy_us THEN bytes * (lost_us / (busy_us - lost_us)) END AS more_bytes
    FROM lost
),
priced AS (
    SELECT n.*, r.room_bytes, r.bottleneck, n.mb_s * r.asked_us AS asked_bytes,
           least(n.more_bytes, r.room_bytes, n.mb_s * r.asked_us) AS gain_bytes
    FROM naive n LEFT JOIN next_limit r ON r.day = n.day AND r.drive = n.drive
)
SELECT day, drive, generation, station, mode, cause, part, CAST(us AS BIGINT) AS duration_us,
       CAST(day_us AS BIGINT) AS day_us, lost_us / 3.6e9 AS lost_hours, bytes / 1e9 AS moved_gb,
       busy_us / 3.6e9 AS busy_hours, mb_s AS rate_mb_s,
       CASE WHEN cause IN ('idle_queued', 'down', 'hung') THEN mb_s
            WHEN bytes > 0 AND lost_us < busy_us THEN bytes / (busy_us - lost_us) END AS mended_mb_s,
       CASE WHEN bytes > 0 THEN mb_s + room_bytes / busy_us END AS supply_mb_s,
       CASE WHEN more_bytes IS NULL THEN NULL
            WHEN asked_bytes < least(more_bytes, room_bytes) THEN 'work'
            WHEN room_bytes IS NULL THEN 'unknown'
            WHEN room_bytes < more_bytes THEN bottleneck ELSE 'drive' END AS bottleneck,
       asked_bytes / 1e9 AS asked_gb, more_bytes / 1e9 AS naive_gb_day,
       CASE WHEN more_bytes IS NOT NULL THEN gain_bytes / 1e9 END AS gain_gb_day,
       CASE WHEN more_bytes IS NOT NULL AND gain_bytes > 0
            THEN row_number() OVER (PARTITION BY day
                                    ORDER BY CASE WHEN more_bytes IS NOT NULL THEN gain_bytes END DESC NULLS LAST, drive,
                                             cause) END AS place
FROM priced
