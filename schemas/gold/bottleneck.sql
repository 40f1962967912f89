/*
title = "What held a drive back"
grain = "one row per drive and hour, if the drive worked for at least ten minutes of the hour"
why = "Shows what kept each drive from moving more data: late data, gaps between files, tape motion, disks or the network. Each cause needs a different remedy. Where logs do not show the cause, the row names the missing log."
partition = "month"
features = ["G2", "M37", "MA3"]

[columns]
day = { type = "DATE", doc = "site day of hour_at" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC" }
drive = { type = "VARCHAR", doc = "drive" }
station = { type = "VARCHAR", doc = "station of the drive's main work in the hour. The main work is the station and mode whose transfers took the most time in total. NULL where no transfer ran in the hour, and where no log shows the station" }
mode = { type = "VARCHAR", doc = "mode of the drive's main work in the hour (defined in column station): read or write. NULL where no transfer ran in the hour" }
busy_s = { type = "DOUBLE", unit = "s", doc = "seconds of the hour in which the drive worked: all time except idle, no request, occupied, down, hung and unknown" }
transfer_s = { type = "DOUBLE", unit = "s", doc = "part of busy_s inside transfers, from the first to the last block of each file, including waits" }
wait_s = { type = "DOUBLE", unit = "s", doc = "part of busy_s inside transfers in which the drive waited for data (write) or for room in the buffer (read). The log has one total wait per file; this total is spread evenly over the transfer of the file" }
gap_s = { type = "DOUBLE", unit = "s", doc = "part of busy_s spent on database, request and start: the avoidable parts of gaps between files, and the same work before the first and after the last file of a mount" }
over_s = { type = "DOUBLE", unit = "s", doc = "sum of (avoidable gap - expected gap) over all gaps that began in the hour. Short gaps offset long ones. The value is at least 0 and at most gap_s" }
motion_s = { type = "DOUBLE", unit = "s", doc = "part of busy_s spent on tape motion, mounts and dismounts" }
n_gaps = { type = "BIGINT", doc = "number of gaps that began in the hour" }
ready_share = { type = "DOUBLE", unit = "1", doc = "share of the gaps before written files in which the next file was already on the spool when the gap began. Where no log shows when the file was on the spool, it counts as ready in two cases: its request was already queued, or one client command wrote the files before and after the gap. NULL where no gap before a written file began in the hour" }
link_load = { type = "DOUBLE", unit = "1", doc = "load of the busiest link between station and drive: average traffic in the hour / capacity. Links of the station and of the drive's host are compared, in the direction of the drive's data. NULL where traffic or capacity of these links is not known, and where no transfer ran in the hour" }
link = { type = "VARCHAR", doc = "busiest link between station and drive, for which link_load was computed" }
wait_full_s = { type = "DOUBLE", unit = "s", doc = "part of wait_s in which a link between station and drive was full. Full means at least 0.9 of the capacity, in the direction of the data. If link_load is at least 0.9, wait_full_s equals wait_s. NULL where link_load is NULL" }
wait_full_most_s = { type = "DOUBLE", unit = "s", doc = "upper limit of wait_full_s. It is above wait_full_s where samples are too coarse to show exactly when the link was full. NULL where link_load is NULL" }
saturated_share = { type = "DOUBLE", unit = "1", doc = "share of the hour's sampled time in which at most 5 % of CPU time was idle. Of the station's share and the share of the drive's host, the larger one is used. NULL where no log shows either share" }
disk_busy = { type = "DOUBLE", unit = "1", doc = "share of the hour's sampled time in which the busiest disk was busy. All disks of the station and of the drive's host are compared. NULL where no log shows this share" }
verdict = { type = "VARCHAR", doc = "what held the drive back. Three times are compared: wait_s (waits), over_s (gaps) and motion_s (motion). If each is below a tenth of busy_s, the verdict is drive. Otherwise the longest of the three decides. Motion: the verdict is motion. Gaps: starved if ready_share is below 0.5, otherwise gap_bound. Waits: the first of the following that applies. network_bound: a link was full for at least half of the wait (wait_full_s). disk_bound: disk_busy is at least 0.9 or saturated_share at least 0.5. cannot_tell: logs are missing (see the column missing). starved: link, disks and CPUs were not busy. cannot_tell also replaces drive if timing lines are missing for most of the transfer time" }
missing = { type = "VARCHAR", doc = "log that is missing where the verdict is cannot_tell; NULL for other verdicts. link: no log of the link, or samples too coarse to show whether the link was full. host: logs of disks and CPUs. `link, host`: both. timing: the mover's timing lines" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["hour_at", "drive"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeInSet"
column = "verdict"
value_set = ["drive", "motion", "gap_bound", "starved", "network_bound", "disk_bound", "cannot_tell"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "busy_s"
min_value = 600
max_value = 3600
severity = "critical"
*/
WITH mover AS (
    SELECT d.drive, coalesce(a.station, d.mover_host) AS host
    FROM site.drive d LEFT JOIN site.station_alias a ON a.alias = short_host(d.mover_host)
),
piece AS (
    SELECT d.system, d.drive, d.state, d.attempt_id, d.from_at, d.to_at,
           unnest(range(date_trunc('hour', d.from_at), d.to_at, INTERVAL 1 HOUR)) AS hour_at
    FROM silver.drive_state d WHERE d.state NOT IN ('down', 'hung', 'unknown', 'no_request', 'occupied')
),
clipped AS (
    SELECT p.drive, p.hour_at, p.state, t.station, nullif(m.host, t.station) AS mover_host, t.mode, greatest(p.from_at, p.hour_at) AS from_at,
           least(p.to_at, p.hour_at + INTERVAL 1 HOUR) AS to_at,
           date_diff('microsecond', greatest(p.from_at, p.hour_at), least(p.to_at, p.hour_at + INTERVAL 1 HOUR)) AS us,
           date_diff('microsecond', p.from_at, p.to_at) AS whole_us, t.transfer_id,
           CASE WHEN coalesce(t.wait_data_s, t.wait_buffer_s) IS NOT NULL
                THEN CAST(1e6 * (coalesce(t.wait_data_s, 0) + coalesce(t.wait_buffer_s, 0)) AS BIGINT) END AS wait_us
    FROM piece p
    LEFT JOIN silver.transfer t
        ON t.system = p.system AND t.transfer_id = CASE WHEN p.state = 'transfer' THEN p.attempt_id END
    LEFT JOIN mover m ON m.drive = p.drive
),
hourly AS (
    SELECT drive, hour_at, sum(us) AS busy_us, coalesce(sum(us) FILTER (state = 'transfer'), 0) AS transfer_us,
           -- a wait never exceeds its transfer; the log's clock has whole seconds
           coalesce(sum(part_of(least(wait_us, whole_us), us, whole_us)) FILTER (wait_us IS NOT NULL), 0) AS wait_us,
           coalesce(sum(us) FILTER (state = 'transfer' AND wait_us IS NULL), 0) AS untimed_us,
           coalesce(sum(us) FILTER (state IN ('database', 'request', 'start')), 0) AS gap_us,
           coalesce(sum(us) FILTER (state IN ('position', 'mount', 'dismount')), 0) AS motion_us
    FROM clipped GROUP BY drive, hour_at
    HAVING sum(us) >= 600000000
),
asker AS (
    SELECT drive, hour_at, station, min(mover_host) AS mover_host, mode FROM clipped WHERE transfer_id IS NOT NULL
    GROUP BY drive, hour_at, station, mode
    QUALIFY row_number() OVER (PARTITION BY drive, hour_at ORDER BY sum(us) DESC, station, mode) = 1
),
-- both ends of the path: the bytes that leave the station come in at the drive's host
way AS (
    SELECT drive, hour_at, unnest([station, mover_host]) AS host,
           unnest(CASE mode WHEN 'read' THEN ['in', 'out'] ELSE ['out', 'in'] END) AS direction
    FROM asker
),
gap AS (
    SELECT g.drive, date_trunc('hour', g.started_at) AS hour_at, count(*) AS n_gaps,
           sum(CAST(round(1e6 * (g.avoidable_s - c.expected_gap_s)) AS BIGINT)) AS over_us,
           count(g.is_next_ready) AS n_writing, count(*) FILTER (g.is_next_ready) AS n_ready
    FROM silver.gap g CROSS JOIN site.setting c
    GROUP BY ALL
),
link AS (
    SELECT station, direction, hour_at, max(load) AS load, arg_max(link, (load, link)) AS link FROM gold.link_load
    WHERE load IS NOT NULL GROUP BY station, direction, hour_at
),
-- waits while the link was full: each stretch of it with what the drive's files of that hour share with it
shared AS (
    SELECT c.drive, c.hour_at, k.link, k.from_at, max(k.full_s) AS full_s, 1e6 * max(k.full_most_s) AS most_us,
           sum(date_diff('microsecond', greatest(c.from_at, k.from_at), least(c.to_at, k.to_at))) AS us,
           sum(part_of(least(c.wait_us, c.whole_us),
                       date_diff('microsecond', greatest(c.from_at, k.from_at), least(c.to_at, k.to_at)), c.whole_us))
               AS wait_us
    FROM clipped c
    JOIN gold.link_stretch k ON date_trunc('hour', k.from_at) = c.hour_at
        AND k.station = CASE WHEN k.direction = CASE c.mode WHEN 'read' THEN 'in' ELSE 'out' END
                             THEN c.station ELSE c.mover_host END
        AND k.from_at < c.to_at AND k.to_at > c.from_at
    WHERE c.wait_us > 0 AND k.full_most_s > 0
    GROUP BY c.drive, c.hour_at, k.link, k.from_at
),
full_wait AS (
    SELECT drive, hour_at, max(full_us) AS full_us, max(most_us) AS most_us
    FROM (SELECT drive, hour_at, link, coalesce(sum(wait_us) FILTER (full_s > 0), 0) AS full_us,
                 sum(CAST(round(wait_us * least(1, most_us / us)) AS BIGINT)) AS most_us
          FROM shared WHERE us > 0 GROUP BY drive, hour_at, link)
    GROUP BY drive, hour_at
),
disk AS (
    SELECT host, hour_at, max(busy) AS busy
    FROM (SELECT host, tool, device, date_trunc('hour', from_at) AS hour_at,
                 sum(CAST(round(busy * date_diff('microsecond', from_at, to_at)) AS BIGINT))
                     / sum(date_diff('microsecond', from_at, to_at)) AS busy
          FROM silver.device_sample WHERE busy IS NOT NULL AND to_at > from_at AND kind = 'disk'
          GROUP BY ALL)
    GROUP BY host, hour_at
),
strain AS (
    SELECT w.drive, w.hour_at, max(l.load) AS load, arg_max(l.link, (l.load, l.link)) AS link,
           max(s.saturated_s / nullif(s.covered_s, 0)) AS saturated_share, max(d.busy) AS disk_busy
    FROM way w
    LEFT JOIN link l ON l.station = w.host AND l.hour_at = w.hour_at AND l.direction = w.direction
    LEFT JOIN gold.host_load s ON s.host = w.host AND s.hour_at = w.hour_at
    LEFT JOIN disk d ON d.host = w.host AND d.hour_at = w.hour_at
    GROUP BY w.drive, w.hour_at
),
joined AS (
    SELECT h.*, a.station, a.mode, coalesce(g.n_gaps, 0) AS n_gaps,
           CASE WHEN g.over_us > 0 THEN least(g.over_us, h.gap_us) ELSE 0 END AS over_us,
           g.n_ready / nullif(g.n_writing, 0) AS ready_share,
           l.load AS link_load, l.link,
           -- a clock-hour at nine tenths is full throughout
           CASE WHEN l.load >= 0.9 THEN h.wait_us WHEN l.load IS NOT NULL THEN coalesce(f.full_us, 0) END AS full_us,
           CASE WHEN l.load >= 0.9 THEN h.wait_us WHEN l.load IS NOT NULL THEN coalesce(f.most_us, 0) END AS most_us,
           l.saturated_share, l.disk_busy
    FROM hourly h
    LEFT JOIN asker a ON a.drive = h.drive AND a.hour_at = h.hour_at
    LEFT JOIN gap g ON g.drive = h.drive AND g.hour_at = h.hour_at
    LEFT JOIN strain l ON l.drive = h.drive AND l.hour_at = h.hour_at
    LEFT JOIN full_wait f ON f.drive = h.drive AND f.hour_at = h.hour_at
),
led AS (
    -- the largest of three kinds of time not spent moving data, if it took a tenth of the drive's time at work
    SELECT *, CASE WHEN 10 * greatest(wait_us, over_us, motion_us) < busy_us THEN 'none'
                   WHEN wait_us = greatest(wait_us, over_us, motion_us) THEN 'wait'
                   WHEN over_us = greatest(wait_us, over_us, motion_us) THEN 'gap' ELSE 'motion' END AS largest
    FROM joined
),
judged AS (
    SELECT *, CASE WHEN largest = 'none' AND 2 * untimed_us > transfer_us THEN 'cannot_tell'
                   WHEN largest = 'none' THEN 'drive'
                   WHEN largest = 'motion' THEN 'motion'
                   WHEN largest = 'gap' AND ready_share < 0.5 THEN 'starved'
                   WHEN largest = 'gap' THEN 'gap_bound'
                   WHEN 2 * full_us >= wait_us THEN 'network_bound'
                   WHEN saturated_share >= 0.5 OR disk_busy >= 0.9 THEN 'disk_bound'
                   WHEN link_load IS NULL OR coalesce(saturated_share, disk_busy) IS NULL OR 2 * most_us >= wait_us
                       THEN 'cannot_tell'
                   ELSE 'starved' END AS verdict
    FROM led
)
SELECT site_day(j.hour_at, c.zone) AS day, j.hour_at, j.drive, j.station, j.mode,
       j.busy_us / 1e6 AS busy_s, j.transfer_us / 1e6 AS transfer_s, CAST(j.wait_us AS BIGINT) / 1e6 AS wait_s,
       j.gap_us / 1e6 AS gap_s, j.over_us / 1e6 AS over_s, j.motion_us / 1e6 AS motion_s, j.n_gaps, j.ready_share, j.link_load, j.link,
       CAST(j.full_us AS BIGINT) / 1e6 AS wait_full_s,
       CAST(least(greatest(j.most_us, j.full_us), j.wait_us) AS BIGINT) / 1e6 AS wait_full_most_s,
       j.saturated_share, j.disk_busy, j.verdict,
       CASE WHEN j.verdict <> 'cannot_tell' THEN NULL WHEN j.largest = 'none' THEN 'timing'
            WHEN j.link_load IS NULL AND coalesce(j.saturated_share, j.disk_busy) IS NULL THEN 'link, host'
            WHEN j.link_load IS NULL OR coalesce(j.saturated_share, j.disk_busy) IS NOT NULL THEN 'link'
            WHEN 2 * j.most_us >= j.wait_us THEN 'link, host' ELSE 'host' END AS missing
FROM judged j CROSS JOIN site.setting c
