/*
title = "Traffic of links"
grain = "one row per link, direction of traffic (from the station's view) and averaged interval. Where both a poller and counters of ports cover a half-hour, or several programs sampled the ports, only the one that covers most of the half-hour counts"
why = "Combines traffic from pollers (MRTG, LibreNMS, Observium) with traffic from counters of ports (Prometheus, snmp_exporter, Telegraf, collectd, sar). In and out are from the station's view. Each second of a link counts once. Values that were not measured or are not traffic are left out."
partition = "month"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
link = { type = "VARCHAR", doc = "name of the link, spelled as in site.toml if declared there" }
station = { type = "VARCHAR", doc = "station to which the link leads; NULL where site.toml does not name it" }
direction = { type = "VARCHAR", doc = "in (towards the station) or out (away from the station). Where neither site.toml nor MRTG's configuration shows whether the switch or the host was polled, the host is assumed. If a minus sign before the target in MRTG's configuration swaps in and out, tapescope swaps them back" }
from_at = { type = "TIMESTAMP", doc = "start of the interval" }
to_at = { type = "TIMESTAMP", doc = "end of the interval" }
avg_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "average rate in the interval" }
max_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "highest rate between two polls in the interval. For counters of ports it equals the average. NULL where an RRD file has no maxima" }
file_id = { type = "VARCHAR", doc = "file from which the row was made" }
line_no = { type = "BIGINT", doc = "number of the line in file_id from which the row was made" }

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "max_bytes_s"
column_B = "avg_bytes_s"
or_equal = true
severity = "warning"

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["link", "direction", "from_at", "to_at"]
severity = "critical"
*/
WITH known AS (
    SELECT m.* EXCLUDE (link, in_max_bytes_s, out_max_bytes_s), f.link, f.is_turned, f.polled AS polled_port,
           f.divisor,
           -- an RRD keeps maxima apart from averages
           coalesce(m.in_max_bytes_s, max(m.in_max_bytes_s) OVER bin) AS in_max_bytes_s,
           coalesce(m.out_max_bytes_s, max(m.out_max_bytes_s) OVER bin) AS out_max_bytes_s,
           -- values that rateup invented replace coarser rows that include them, and are left out in the end
           m.note IS NULL OR m.note = 'stale' AND f.has_zeros_for_holes AS is_data
    FROM bronze.link_sample m JOIN silver.link_file f USING (file_id)
    WHERE m.from_at >= f.data_from_at AND f.is_traffic
    WINDOW bin AS (PARTITION BY f.link, m.from_at, m.to_at)
    QUALIFY row_number() OVER (PARTITION BY f.link, m.from_at, m.to_at
                               ORDER BY is_data, coalesce(m.in_bytes_s, m.out_bytes_s) IS NULL, m.file_id, m.line_no) = 1
       AND coalesce(m.in_bytes_s, m.out_bytes_s) IS NOT NULL
),
-- The newest rows of a log are bounded by its polls, not by the grid of five minutes. Where another copy of the log has
-- that time on the grid, these rows add nothing, and would count seconds twice.
gridded AS (
    SELECT *, date_diff('microsecond', from_at, to_at) AS us,
           epoch_us(from_at) % 300000000 = 0 AND epoch_us(to_at) % 300000000 = 0 AS is_on_grid
    FROM known
),
kept AS (
    SELECT * FROM gridded WHERE is_on_grid
    UNION ALL
    SELECT k.*
    FROM gridded k ANTI JOIN (SELECT link, from_at, to_at FROM gridded WHERE is_on_grid) g
        ON g.link = k.link AND g.from_at < k.to_at AND g.to_at > k.from_at
    WHERE NOT k.is_on_grid
),
coarse AS (
    SELECT link, day, from_at, to_at, us FROM kept QUALIFY us > min(us) OVER (PARTITION BY link, day)
),
-- a row adds nothing if finer rows cover all its seconds
finer AS (
    SELECT c.link, c.from_at, c.to_at, f.from_at AS finer_from_at, f.to_at AS finer_to_at,
           -- copies of a log may hold one time in several steps: it counts once
           max(f.to_at) OVER (PARTITION BY c.link, c.from_at, c.to_at ORDER BY f.from_at, f.to_at
                              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached_at
    FROM coarse c JOIN kept f
        -- no row of MRTG's tiers crosses midnight UTC
        ON f.link = c.link AND f.day = c.day AND f.from_at >= c.from_at AND f.to_at <= c.to_at
       AND f.us < c.us
),
covered AS (
    SELECT link, from_at, to_at,
           sum(greatest(date_diff('microsecond', greatest(finer_from_at, coalesce(reached_at, finer_from_at)),
                                  finer_to_at), 0)) AS finer_us
    FROM finer GROUP BY link, from_at, to_at
),
finest AS MATERIALIZED (
    SELECT k.*, s.station, (coalesce(s.polled, k.polled_port, 'host') = 'switch') <> k.is_turned AS is_in_sent
    FROM kept k
    LEFT JOIN covered c ON c.link = k.link AND c.from_at = k.from_at AND c.to_at = k.to_at
    LEFT JOIN site.link s ON s.link = k.link
    WHERE k.is_data AND (c.finer_us IS NULL OR c.finer_us < k.us)
),
-- One second of a link has one row, even if several sources have it. A source is a poller, or the ports of one side
-- sampled by one program. In each half-hour, the source that covers most counts. Of equal sources, the switch's ports
-- come first, because the station's own interface can be compared with them; then the source with finer samples.
witness AS (
    SELECT link, time_bucket(INTERVAL 1800 SECOND, from_at) AS bin_at, polled, tool,
           sum(date_diff('microsecond', from_at, to_at)) AS us, count(*) AS n
    FROM silver.link_port_sample GROUP BY ALL
    UNION ALL
    SELECT link, time_bucket(INTERVAL 1800 SECOND, from_at), NULL, NULL, sum(us), count(*)
    FROM finest SEMI JOIN site.link_port USING (link)
    WHERE to_at <= time_bucket(INTERVAL 1800 SECOND, from_at) + INTERVAL 1800 SECOND
    GROUP BY ALL
),
chosen AS (
    SELECT * FROM witness
    QUALIFY row_number() OVER (PARTITION BY link, bin_at
                               ORDER BY us DESC, tool IS NULL, polled DESC, n DESC, tool) = 1
),
by_ports AS (
    SELECT p.* FROM silver.link_port_sample p
    JOIN chosen c ON c.link = p.link AND c.polled = p.polled AND c.tool = p.tool
        AND c.bin_at = time_bucket(INTERVAL 1800 SECOND, p.from_at)
),
-- a poller's row stays where ports do not cover all its half-hours, or a finer one's half-hour better
replaced AS (
    SELECT f.link, f.from_at, f.to_at
    FROM finest f
    JOIN chosen c ON c.link = f.link AND c.tool IS NOT NULL AND c.bin_at < f.to_at
        AND c.bin_at + INTERVAL 1800 SECOND > f.from_at
    GROUP BY f.link, f.from_at, f.to_at, f.us
    HAVING f.us <= 1800000000 OR sum(c.us) >= f.us
)
SELECT CAST(from_at AS DATE) AS day, link, station, CASE WHEN is_in_sent THEN 'out' ELSE 'in' END AS direction,
       from_at, to_at, in_bytes_s / divisor AS avg_bytes_s, in_max_bytes_s / divisor AS max_bytes_s, file_id,
       line_no
FROM finest ANTI JOIN replaced USING (link, from_at, to_at)
WHERE in_bytes_s IS NOT NULL
UNION ALL
SELECT CAST(from_at AS DATE) AS day, link, station, CASE WHEN is_in_sent THEN 'in' ELSE 'out' END AS direction,
       from_at, to_at, out_bytes_s / divisor AS avg_bytes_s, out_max_bytes_s / divisor AS max_bytes_s, file_id,
       line_no
FROM finest ANTI JOIN replaced USING (link, from_at, to_at)
WHERE out_bytes_s IS NOT NULL
UNION ALL
SELECT p.day, p.link, l.station, d.direction, p.from_at, p.to_at, d.bytes_s AS avg_bytes_s, d.bytes_s AS max_bytes_s,
       p.file_id, p.line_no
FROM by_ports p JOIN site.link l ON l.link = p.link
CROSS JOIN LATERAL (VALUES ('in', p.in_bytes_s), ('out', p.out_bytes_s)) AS d(direction, bytes_s)
WHERE d.bytes_s IS NOT NULL
