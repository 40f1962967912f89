/*
title = "Rates by number of concurrent streams"
grain = "one row per station, site day, mode, number of concurrent streams of this mode and number of concurrent streams of the other mode"
why = "Shows how many concurrent streams make a station's disk slower than tape, and whether all streams get equal rates. If fifty streams share 100 MB/s, each gets 2 MB/s."
partition = "month"
features = ["D7", "C07", "N24", "N25", "N26", "N27", "N28"]

[columns]
day = { type = "DATE", doc = "site day" }
station = { type = "VARCHAR", doc = "station" }
mode = { type = "VARCHAR", doc = "read (from tape to the station) or write" }
n_streams = { type = "BIGINT", doc = "number of streams of this mode at the same time; only files that were moved completely count" }
n_opposite = { type = "BIGINT", doc = "number of streams of the other mode at the same time" }
duration_s = { type = "DOUBLE", unit = "s", was = "seen_s", doc = "seconds of the day with exactly n_streams and n_opposite concurrent streams" }
total_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate of all streams of this mode together. It is computed from each stream's average rate between its first and last block" }
stream_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate of one of the n_streams streams" }
fairness = { type = "DOUBLE", unit = "1", doc = "Jain's fairness index, averaged over time: (sum of the streams' rates)^2 / (n_streams x sum of the squared rates). 1 means that all rates are equal, 1 / n_streams that one stream gets everything" }
variation = { type = "DOUBLE", unit = "1", doc = "coefficient of variation (standard deviation / mean) of the rates of single streams, over all streams and times" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "station", "mode", "n_streams", "n_opposite"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "fairness"
min_value = 0
max_value = 1.000001
severity = "critical"
*/
WITH stream AS (
    -- whole bytes/s up to a million MB/s, which only a damaged line exceeds: sums of them, and of their squares, are exact
    SELECT t.station, t.mode, t.started_at, t.ended_at, c.zone,
           least(CAST(t.bytes AS HUGEINT) * 1000000 // date_diff('microsecond', t.started_at, t.ended_at), 1000000000000)
               AS rate
    FROM silver.transfer t CROSS JOIN site.setting c
    WHERE t.status = 'ok' AND t.ended_at > t.started_at AND t.bytes > 0 AND t.station IS NOT NULL
      AND t.mode IN ('read', 'write')
),
midnight AS (
    SELECT station, day_begin(unnest(range(
               CAST(site_day(from_at, zone) AS TIMESTAMP),
               site_time(to_at, zone) + INTERVAL 1 DAY, INTERVAL 1 DAY)), zone) AS edge_at
    FROM (SELECT station, zone, min(started_at) AS from_at, max(ended_at) AS to_at FROM stream GROUP BY station, zone)
),
step AS (
    SELECT station, started_at AS edge_at, mode = 'read' AS is_read, 1 AS n, rate AS x,
           rate * rate AS xx FROM stream
    UNION ALL
    SELECT station, ended_at, mode = 'read', -1, -rate, -rate * rate FROM stream
    UNION ALL SELECT station, edge_at, TRUE, 0, 0, 0 FROM midnight
),
edge AS (
    SELECT station, edge_at, coalesce(sum(n) FILTER (is_read), 0) AS read_n, coalesce(sum(x) FILTER (is_read), 0) AS read_x,
           coalesce(sum(xx) FILTER (is_read), 0) AS read_xx, coalesce(sum(n) FILTER (NOT is_read), 0) AS write_n,
           coalesce(sum(x) FILTER (NOT is_read), 0) AS write_x, coalesce(sum(xx) FILTER (NOT is_read), 0) AS write_xx
    FROM step GROUP BY station, edge_at
),
level AS (
    -- counts and rates are exact as DOUBLE, of which DuckDB makes running sums in a third of the time
    SELECT station, edge_at, date_diff('microsecond', edge_at, lead(edge_at) OVER w) AS us,
           CAST(sum(CAST(read_n AS DOUBLE)) OVER w AS BIGINT) AS read_n,
           CAST(sum(CAST(read_x AS DOUBLE)) OVER w AS HUGEINT) AS read_x, sum(read_xx) OVER w AS read_xx,
           CAST(sum(CAST(write_n AS DOUBLE)) OVER w AS BIGINT) AS write_n,
           CAST(sum(CAST(write_x AS DOUBLE)) OVER w AS HUGEINT) AS write_x, sum(write_xx) OVER w AS write_xx
    FROM edge
    WINDOW w AS (PARTITION BY station ORDER BY edge_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
),
dated AS MATERIALIZED (
    SELECT l.*, site_day(l.edge_at, c.zone) AS day FROM level l CROSS JOIN site.setting c WHERE l.us > 0 AND l.read_n + l.write_n > 0
),
side AS (
    SELECT day, station, us, 'read' AS mode, read_n AS n, write_n AS m, read_x AS x, read_xx AS xx FROM dated
    UNION ALL
    SELECT day, station, us, 'write', write_n, read_n, write_x, write_xx FROM dated
),
summed AS (
    SELECT s.day, s.station, s.mode, s.n, s.m, sum(s.us) AS us,
           sum(s.x * s.us) AS x_us, sum(CAST(s.xx AS DOUBLE) * s.us / 1e18) AS xx_us,
           sum(CAST(round(1e6 * (CAST(s.x AS DOUBLE) * CAST(s.x AS DOUBLE) / (s.n * CAST(s.xx AS DOUBLE)))) AS HUGEINT)
               * s.us) AS fair_us
    FROM side s WHERE s.n > 0 AND s.x > 0
    GROUP BY ALL
)
SELECT day, station, mode, CAST(n AS BIGINT) AS n_streams, CAST(m AS BIGINT) AS n_opposite, us / 1e6 AS duration_s,
       x_us / us / 1e6 AS total_mb_s, x_us / us / n / 1e6 AS stream_mb_s, fair_us / us / 1e6 AS fairness,
       sqrt(greatest(xx_us * 1e18 / us / n / pow(x_us / us / n, 2) - 1, 0)) AS variation
FROM summed
