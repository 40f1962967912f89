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
station = { type = "VARCHAR", doc = "station for which the drive moved the most bytes that day; NULL where the drive moved no data, and where no log shows the station" }
mode = { type = "VARCHAR", doc = "read or write: the mode in which the drive moved the most bytes for this station that day; NULL where the drive moved no data" }
cause = { type = "VARCHAR", doc = "what the drive spent the time on. slow_drive: all time in which data moved. long_gap: database, request and start. mount: mount and dismount. idle_queued: idle while a request waited for a drive of the same kind. idle_no_work: other idle time. Other causes have the names of buckets in gold.drive_time_bucket: wait_data, wait_room, checksum, filemark, position, no_request, down, hung, drain, occupied, unknown" }
part = { type = "VARCHAR", doc = "what took most of the time in the long gaps: database, request or start. NULL where no gap was long, and for causes other than long_gap" }
duration_us = { type = "BIGINT", unit = "us", doc = "time that the drive spent on this cause that day, in microseconds" }
day_us = { type = "BIGINT", unit = "us", doc = "length of the site day, in microseconds" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "upper limit of the recoverable hours. slow_drive: extra time of the drive's large files compared with at least two other drives of the same kind. Each of these drives moved at least 20 large files that day. The extra time is zero unless the drive's rate is below max_ratio (of the rule slow_drive) times the median rate of the others. long_gap: time beyond the expected gap; only gaps that exceed the expected gap by more than excess_s of the rule long_gap count. filemark, position, mount: extra time of steps compared with the 10th percentile of such steps that day (lost_us of gold.motion_time). idle_queued: the idle time, or a share of it while more drives were idle than mounts waited (lost_us of gold.idle_queued). no_request, idle_no_work, occupied, unknown: zero, because there was no request or no log. Other causes: all of the time" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data that the drive moved that day; only files that were moved completely count" }
busy_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours at work or occupied that day: all except idle, no request, down, hung and unknown" }
rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "moved_gb / busy_hours, in MB/s. For a drive that moved no data: total data / total busy_hours of the drives of the same kind that moved data that day; NULL without such drives" }
fixed_mb_s = { type = "DOUBLE", was = "mended_mb_s", unit = "MB/s", doc = "rate_mb_s that the drive would reach without the lost time of this cause. For idle_queued, down and hung, the rate stays rate_mb_s, because a fix gains hours instead of rate. For other causes, NULL if the drive moved no data" }
supply_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest rate_mb_s that the next bottleneck allows, if only this drive is fixed; NULL where no log shows a next bottleneck, or the drive moved no data" }
bottleneck = { type = "VARCHAR", doc = "what would limit the drive next if the cause were fixed; NULL where naive_gb_day is NULL. input: the station receives no more data to write. work: no more was requested. output: the station's writing drives cannot write more of the data that this drive reads. link: the link of the station or of the drive's host. drive: the drive itself, because other limits allow more. unknown: no log shows the next limit" }
asked_gb = { type = "DOUBLE", unit = "GB", doc = "upper limit of the gain: data that the drive could have moved while requests for its kind of drive waited. Known only for a drive that had no work in at least half of the time in which it could work; NULL for other drives, and on days without logged requests. Also NULL for a writing drive if logs show how much data its station received" }
naive_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "extra data per day if nothing else were a limit. For idle_queued, down and hung: rate_mb_s x lost time. For other causes: (fixed_mb_s - rate_mb_s) x busy time, or NULL if the drive moved no data. For any cause: NULL if no time was lost" }
gain_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "extra data per day that the next bottleneck allows. It is the smallest of three values: naive_gb_day, (supply_mb_s - rate_mb_s) x busy time, and asked_gb. A NULL supply_mb_s or asked_gb is no limit. NULL where naive_gb_day is NULL" }
place = { type = "BIGINT", doc = "rank by gain_gb_day among all drives and causes of the day: 1 is the largest gain; NULL without a gain" }

[[checks]]
expectation = "UnexpectedRowsExpectation"
unexpected_rows_query = "SELECT day, drive FROM {batch} GROUP BY day, drive HAVING sum(duration_us) <> max(day_us)"
description = "the times of all causes of a drive's day must add up to the length of the day"
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
WITH usual AS (
    SELECT day, generation, sum(moved_bytes) / nullif(sum(busy_us), 0) AS mb_s FROM gold.drive_day
    WHERE moved_bytes > 0 GROUP BY day, generation
),
-- 1. gaps beyond the expected one
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
-- 2. drives slower than their kind: at least 20 large files each, and two others to compare with
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
-- 3. file marks, tape motion and mounts longer than the fastest tenth of them that day: no site avoids them entirely
beyond AS (
    SELECT day, drive, cause, sum(lost_us) AS us FROM gold.motion_time GROUP BY day, drive, cause
),
-- 4. the ledger by causes, and what part of each could be recovered
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
           CASE WHEN b.cause = 'idle_no_work' THEN b.us - least(b.us, coalesce(q.idle_us, 0)) ELSE b.us END AS us
    FROM bucket b LEFT JOIN gold.idle_queued q ON q.day = b.day AND q.drive = b.drive
    UNION ALL
    SELECT b.day, b.drive, 'idle_queued', least(b.us, q.idle_us)
    FROM bucket b JOIN gold.idle_queued q ON q.day = b.day AND q.drive = b.drive
    WHERE b.cause = 'idle_no_work' AND q.idle_us > 0
),
lost AS (
    SELECT c.day, c.drive, w.generation, w.station, w.mode, c.cause, g.part, c.us, w.day_us, w.moved_bytes AS bytes, w.busy_us,
           w.more_bytes AS room_bytes, w.bottleneck, w.asked_us,
           CASE WHEN c.cause = 'slow_drive' THEN least(c.us, coalesce(s.us, 0))
                WHEN c.cause = 'long_gap' THEN least(c.us, coalesce(g.us, 0))
                WHEN c.cause IN ('filemark', 'position', 'mount') THEN least(c.us, coalesce(b.us, c.us))
                WHEN c.cause = 'idle_queued' THEN least(c.us, coalesce(n.lost_us, c.us))
                WHEN c.cause IN ('no_request', 'idle_no_work', 'occupied', 'unknown') THEN 0
                ELSE c.us END AS lost_us,
           coalesce(w.moved_bytes / nullif(CASE WHEN w.moved_bytes > 0 THEN w.busy_us END, 0), u.mb_s) AS mb_s
    FROM caused c
    JOIN gold.drive_day w ON w.day = c.day AND w.drive = c.drive
    LEFT JOIN usual u ON u.day = w.day AND u.generation IS NOT DISTINCT FROM w.generation
    LEFT JOIN long_gap g ON g.day = c.day AND g.drive = c.drive AND c.cause = 'long_gap'
    LEFT JOIN beyond b ON b.day = c.day AND b.drive = c.drive AND b.cause = c.cause
    LEFT JOIN slow_drive s ON s.day = c.day AND s.drive = c.drive AND c.cause = 'slow_drive'
    LEFT JOIN gold.idle_queued n ON n.day = c.day AND n.drive = c.drive AND c.cause = 'idle_queued'
    WHERE c.us <> 0
),
naive AS (
    SELECT *, CASE WHEN lost_us = 0 THEN NULL
                   WHEN cause IN ('idle_queued', 'down', 'hung') THEN mb_s * lost_us
                   WHEN bytes > 0 AND lost_us < busy_us THEN bytes * (lost_us / (busy_us - lost_us)) END AS more_bytes
    FROM lost
),
priced AS (
    SELECT *, mb_s * asked_us AS asked_bytes, least(more_bytes, room_bytes, mb_s * asked_us) AS gain_bytes FROM naive
)
SELECT day, drive, generation, station, mode, cause, part, CAST(us AS BIGINT) AS duration_us,
       day_us, lost_us / 3.6e9 AS lost_hours, bytes / 1e9 AS moved_gb,
       busy_us / 3.6e9 AS busy_hours, mb_s AS rate_mb_s,
       CASE WHEN cause IN ('idle_queued', 'down', 'hung') THEN mb_s
            WHEN bytes > 0 AND lost_us < busy_us THEN bytes / (busy_us - lost_us) END AS fixed_mb_s,
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
