/*
title = "Work of drives per day, and what would limit them next"
grain = "one row per drive and site day of gold.drive_ledger"
why = "A drive that works faster or longer moves more data only until another limit applies. The limit may be the incoming or requested data, the links, or the drives that write what this drive reads."
partition = "month"
features = ["G1", "M42"]

[columns]
day = { type = "DATE", doc = "site day" }
drive = { type = "VARCHAR", doc = "drive" }
generation = { type = "VARCHAR", doc = "technology of the drive; NULL where site.toml does not name it" }
station = { type = "VARCHAR", doc = "station for which the drive moved the most bytes that day; NULL where the drive moved no data, and where no log shows the station" }
mode = { type = "VARCHAR", doc = "read or write: the mode in which the drive moved the most bytes for this station that day; NULL where the drive moved no data" }
day_us = { type = "BIGINT", unit = "us", doc = "length of the site day, in microseconds" }
covered_us = { type = "BIGINT", unit = "us", doc = "time that logs or counters cover, in microseconds: all except unknown" }
busy_us = { type = "BIGINT", unit = "us", doc = "time at work or occupied, in microseconds: all except idle, no request, down, hung and unknown" }
moved_bytes = { type = "BIGINT", unit = "bytes", doc = "data that the drive moved that day; only files that were moved completely count" }
more_bytes = { type = "DOUBLE", unit = "bytes", doc = "data that the drive could have moved in addition to moved_bytes, up to the limit that the column bottleneck names; NULL where no log shows a limit" }
bottleneck = { type = "VARCHAR", doc = "limit that sets more_bytes; NULL where no log shows a limit. input: the station receives no more data to write. output: the station's writing drives cannot write more of the data that this drive reads. link: the link of the station or of the drive's host" }
asked_us = { type = "BIGINT", unit = "us", doc = "time in which requests waited for drives of this kind (queued_us of gold.idle_queued), in microseconds. Known only for a drive that had no work in at least half of the time in which it could work; NULL for other drives, and on days without logged requests. Also NULL for a writing drive if logs show how much data its station received" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "drive"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "day_us"
column_B = "covered_us"
or_equal = true
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "covered_us"
column_B = "busy_us"
or_equal = true
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "more_bytes"
min_value = 0
severity = "critical"
*/
WITH owned AS (
    SELECT d.drive, d.generation, d.system, coalesce(a.station, d.mover_host) AS mover_host
    FROM site.drive d LEFT JOIN site.station_alias a ON a.alias = short_host(d.mover_host)
),
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
    SELECT l.day, l.drive, o.system, o.generation, o.mover_host, m.station, m.mode, coalesce(m.bytes, 0) AS bytes, max(l.day_us) AS day_us,
           coalesce(sum(l.duration_us) FILTER (l.bucket <> 'unknown'), 0) AS covered_us,
           coalesce(sum(l.duration_us) FILTER (l.bucket NOT IN ('idle', 'no_request', 'down', 'hung', 'unknown')), 0) AS busy_us,
           coalesce(sum(l.duration_us) FILTER (l.bucket NOT IN ('down', 'hung', 'unknown')), 0) AS able_us,
           coalesce(sum(l.duration_us) FILTER (l.bucket IN ('idle', 'no_request')), 0)
               - least(coalesce(sum(l.duration_us) FILTER (l.bucket = 'idle'), 0), coalesce(any_value(q.idle_us), 0)) AS free_us,
           CASE WHEN q.are_requests_known THEN q.queued_us END AS queued_us
    FROM gold.drive_ledger l
    LEFT JOIN gold.idle_queued q ON q.day = l.day AND q.drive = l.drive
    LEFT JOIN owned o ON o.drive = l.drive
    LEFT JOIN moved m ON m.on_day = l.day AND m.drive = l.drive
    GROUP BY ALL
),
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
-- A drive that was without work for half of its time does not get more by being faster: data that came in and was not
-- written, or requests that waited meanwhile, are all there is. One that was kept busy while as much came in as it wrote,
-- to a tenth, held the input back: nothing is read faster than there is room.
room AS (
    -- what comes in to be written: by its link; else, for stations that stage from tape to tape, what they read
    SELECT w.*, coalesce(i.bytes, CASE WHEN s.role IS DISTINCT FROM 'stager' THEN t.read_bytes END) AS came_bytes,
           CASE WHEN w.mode = 'write' AND (2 * w.free_us >= w.able_us OR came_bytes - t.write_bytes > 0.1e0 * t.write_bytes)
                THEN came_bytes - t.write_bytes END AS input_bytes,
           CASE WHEN 2 * w.free_us >= w.able_us AND (w.mode IS DISTINCT FROM 'write' OR came_bytes IS NULL)
                THEN w.queued_us END AS asked_us,
           CASE WHEN w.mode = 'read' AND s.role = 'migration' THEN a.write_bytes - t.read_bytes END AS output_bytes,
           -- both ends of the path: what leaves the station comes in at the drive's host. least ignores NULL
           least(x.capacity * w.day_us - x.bytes, h.capacity * w.day_us - h.bytes) AS link_bytes
    FROM worked w
    LEFT JOIN site.station s ON s.station = w.station
    LEFT JOIN tape t ON t.day = w.day AND t.station = w.station
    LEFT JOIN able a ON a.day = w.day AND a.station = w.station
    LEFT JOIN link i ON i.day = w.day AND i.station = w.station AND i.direction = 'in'
    LEFT JOIN link x ON x.day = w.day AND x.station = w.station
        AND x.direction = CASE w.mode WHEN 'read' THEN 'in' ELSE 'out' END
    LEFT JOIN link h ON h.day = w.day AND h.station = w.mover_host AND w.mover_host <> w.station
        AND h.direction = CASE w.mode WHEN 'read' THEN 'out' ELSE 'in' END
)
SELECT day, drive, generation, station, mode, day_us, CAST(covered_us AS BIGINT) AS covered_us,
       CAST(busy_us AS BIGINT) AS busy_us, CAST(bytes AS BIGINT) AS moved_bytes,
       -- least ignores NULL: what no log shows is no limit here
       CASE WHEN least_bytes > 0 THEN least_bytes WHEN least_bytes <= 0 THEN 0 END AS more_bytes,
       CASE least_bytes WHEN input_bytes THEN 'input' WHEN output_bytes THEN 'output' WHEN link_bytes THEN 'link'
           END AS bottleneck, asked_us
FROM (SELECT *, least(input_bytes, output_bytes, link_bytes) AS least_bytes FROM room)
