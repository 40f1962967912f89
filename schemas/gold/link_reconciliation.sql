/*
title = "Traffic counted by links, compared with traffic known from tapes and hosts"
was = "link_witness"
grain = "one row per station, direction and UTC half-hour; only half-hours that the logs of all the station's links cover completely"
why = "At 14.3 MB/s, a 32-bit counter of bytes wraps every 300 s. If the counter makes a full turn between two polls, the logged rate is too low, and nothing in the log shows the error. Logs of drives and the counters of the station's own interfaces show how much traffic there must have been."
partition = "month"
lineage = ["file_id", "line_no"]
features = ["I1", "G5"]

[columns]
day = { type = "DATE", doc = "site day of bin_at" }
bin_at = { type = "TIMESTAMP", doc = "start of the half-hour, UTC" }
station = { type = "VARCHAR", doc = "station" }
direction = { type = "VARCHAR", doc = "in (towards the station) or out (away from the station)" }
counted_gb = { type = "DOUBLE", unit = "GB", doc = "traffic that the logs of all the station's links show" }
max_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest rate of one link between two polls; where the log has no such rate, the highest average rate" }
turn_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest rate that a 32-bit counter can show: 2^32 bytes / time between two polls. If the station has several links, the longest time between polls is used" }
capacity_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "capacity of the station's fastest link" }
tape_gb = { type = "DOUBLE", unit = "GB", doc = "data that must have passed the station's links according to drive logs. In: read for the station by drives on other hosts, or written for other stations by drives on the station. Out: written for the station by drives on other hosts, or read for other stations by drives on the station. Data that moved within one polling interval of the start or end of the half-hour are left out. NULL where no drive log shows it" }
host_gb = { type = "DOUBLE", unit = "GB", doc = "traffic that the station's own interface counters show. Samples within one polling interval of the start or end of the half-hour are left out. NULL where there are no such counters" }
file_id = { type = "VARCHAR", doc = "log file with the first sample in the half-hour, for one of the station's links" }
line_no = { type = "BIGINT", doc = "number of the line with the first sample in the half-hour, for one of the station's links" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["station", "direction", "bin_at"]
severity = "critical"
*/
WITH counted AS (
    SELECT s.link, any_value(s.station) AS station, s.direction, time_bucket(INTERVAL 1800 SECOND, s.from_at) AS bin_at,
           -- whole bytes: their sum does not depend on the order in which the rows come
           sum(CAST(round(s.avg_bytes_s * date_diff('microsecond', s.from_at, s.to_at) / 1e6) AS BIGINT)) AS bytes,
           max(coalesce(s.max_bytes_s, s.avg_bytes_s)) AS max_bytes_s,
           arg_min(s.file_id, s.from_at) AS file_id, arg_min(s.line_no, s.from_at) AS line_no
    FROM silver.link_sample s
    WHERE s.station IS NOT NULL
      AND s.to_at <= time_bucket(INTERVAL 1800 SECOND, s.from_at) + INTERVAL 1800 SECOND
    GROUP BY s.link, s.direction, time_bucket(INTERVAL 1800 SECOND, s.from_at)
    HAVING sum(date_diff('microsecond', s.from_at, s.to_at)) = 1800000000
),
declared AS (
    SELECT l.station, l.link, coalesce(l.capacity_mb_s, t.capacity_bytes_s / 1e6) AS capacity_mb_s, count(*) OVER (PARTITION BY l.station) AS n_links,
           coalesce(t.interval_s, 300e0) AS poll_s
    FROM site.link l LEFT JOIN silver.link_target t ON t.target = lower(l.link)
),
bin AS (
    SELECT d.station, c.direction, c.bin_at, sum(c.bytes) AS bytes, max(c.max_bytes_s) AS max_bytes_s,
           min(4294967296 / d.poll_s) AS turn_bytes_s, max(coalesce(d.capacity_mb_s, p.capacity_bytes_s / 1e6)) AS capacity_mb_s, max(d.poll_s) AS poll_s,
           arg_min(c.file_id, c.link) AS file_id, arg_min(c.line_no, c.link) AS line_no
    FROM counted c JOIN declared d ON d.link = c.link
    LEFT JOIN silver.link_capacity p ON p.link = c.link AND p.day = CAST(c.bin_at AS DATE)
    GROUP BY d.station, c.direction, c.bin_at
    HAVING count(*) = max(d.n_links)
),
poll AS (
    SELECT station, to_microseconds(CAST(1e6 * max(poll_s) AS BIGINT)) AS poll FROM declared GROUP BY station
),
-- what passed at least a poll away from the ends: the poll that counted it is within the half-hour
moved AS (
    SELECT t.station, coalesce(a.station, short_host(coalesce(t.mover_host, d.mover_host, ''))) AS mover_host,
           t.mode, t.bytes, t.started_at,
           file_end(t.started_at, t.ended_at) AS ended_at
    FROM silver.transfer t LEFT JOIN site.drive d ON d.drive = t.drive
    LEFT JOIN site.station_alias a ON a.alias = short_host(coalesce(t.mover_host, d.mover_host))
    WHERE t.status = 'ok' AND t.ended_at >= t.started_at AND t.bytes > 0
),
moving AS (
    SELECT station, direction, bytes, started_at, ended_at,
           unnest(range(time_bucket(INTERVAL 1800 SECOND, started_at), ended_at, INTERVAL 1800 SECOND)) AS bin_at
    FROM (
        -- both ends of the path: what leaves the station comes in at the drive's host
        SELECT unnest([station, mover_host]) AS station,
               unnest(CASE mode WHEN 'read' THEN ['in', 'out'] ELSE ['out', 'in'] END) AS direction, bytes, started_at, ended_at
        -- a mover on the station itself needs no link, nor what is read for no station, to be verified
        FROM moved WHERE mover_host <> station
    )
),
tape AS (
    SELECT m.station, m.direction, m.bin_at,
           CAST(sum(part_of(m.bytes,
                            greatest(0, date_diff('microsecond', greatest(m.started_at, m.bin_at + p.poll),
                                                  least(m.ended_at, m.bin_at + INTERVAL 1800 SECOND - p.poll))),
                            date_diff('microsecond', m.started_at, m.ended_at))) AS BIGINT) AS bytes
    FROM moving m JOIN poll p ON p.station = m.station
    GROUP BY m.station, m.direction, m.bin_at
),
own AS (
    SELECT n.host AS station, time_bucket(INTERVAL 1800 SECOND, n.from_at) AS bin_at, n.tool,
           sum(CAST(round(n.in_bytes_s * date_diff('microsecond', n.from_at, n.to_at) / 1e6) AS BIGINT)) AS in_bytes,
           sum(CAST(round(n.out_bytes_s * date_diff('microsecond', n.from_at, n.to_at) / 1e6) AS BIGINT)) AS out_bytes
    FROM silver.network_sample n JOIN poll p ON p.station = n.host
    WHERE n.is_summed AND n.to_at > n.from_at
      AND n.from_at >= time_bucket(INTERVAL 1800 SECOND, n.from_at) + p.poll
      AND n.to_at <= time_bucket(INTERVAL 1800 SECOND, n.from_at) + INTERVAL 1800 SECOND - p.poll
    GROUP BY ALL
),
host AS (
    -- several tools count the same bytes: the one that counted most of them
    SELECT station, bin_at, 'in' AS direction, max(in_bytes) AS bytes FROM own GROUP BY station, bin_at
    UNION ALL SELECT station, bin_at, 'out', max(out_bytes) FROM own GROUP BY station, bin_at
)
SELECT site_day(b.bin_at, c.zone) AS day, b.bin_at, b.station, b.direction,
       CAST(b.bytes AS DOUBLE) / 1e9 AS counted_gb, b.max_bytes_s / 1e6 AS max_mb_s, b.turn_bytes_s / 1e6 AS turn_mb_s, b.capacity_mb_s,
       CAST(t.bytes AS DOUBLE) / 1e9 AS tape_gb, CAST(h.bytes AS DOUBLE) / 1e9 AS host_gb, b.file_id, b.line_no
FROM bin b
LEFT JOIN tape t ON t.station = b.station AND t.direction = b.direction AND t.bin_at = b.bin_at
LEFT JOIN host h ON h.station = b.station AND h.direction = b.direction AND h.bin_at = b.bin_at
CROSS JOIN site.setting c
