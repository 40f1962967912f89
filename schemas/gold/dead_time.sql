/*
title = "Dead time"
grain = "one row per drive, hour and part of the gaps between files, such as database or start"
why = "Shows how many seconds of each hour a drive spent in gaps between files, and how that time divides into parts such as database and start."
partition = "month"
features = ["D2"]

[columns]
day = { type = "DATE", doc = "site day of hour_at" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC" }
drive = { type = "VARCHAR", doc = "drive" }
part = { type = "VARCHAR", doc = "part of the gap: filemark, checksum, database, no_request, request, position or start" }
dead_s = { type = "DOUBLE", unit = "s", doc = "seconds of the hour that the drive spent in this part of its gaps between files" }
n_gaps = { type = "BIGINT", doc = "number of gaps in which this part took time during the hour" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "dead_s"
min_value = 0
max_value = 3600
severity = "critical"
*/
WITH part AS (
    -- gaps of a drive do not overlap: a state is in the last one that began before it, or in no gap
    SELECT g.gap_id, s.drive, s.state AS part, s.from_at, s.to_at
    FROM silver.drive_state s
    ASOF JOIN (SELECT * FROM silver.gap WHERE ended_at > started_at) g
        ON g.system = s.system AND g.drive = s.drive AND s.from_at >= g.started_at
    WHERE s.to_at > s.from_at AND s.to_at <= g.ended_at
),
piece AS (
    SELECT *, unnest(range(date_trunc('hour', from_at), to_at, INTERVAL 1 HOUR)) AS hour_at FROM part
)
SELECT site_day(hour_at, c.zone) AS day, hour_at, drive, part,
       sum(date_diff('microsecond', greatest(from_at, hour_at), least(to_at, hour_at + INTERVAL 1 HOUR))) / 1e6
           AS dead_s,
       count(DISTINCT gap_id) AS n_gaps
FROM piece CROSS JOIN site.setting c
GROUP BY ALL
