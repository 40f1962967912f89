/*
title = "Traffic of links"
grain = "one row per link, station direction and averaged interval, the finest known"
why = "MRTG's rows with the direction turned to the station's and the overlap of several snapshots of a log taken out."
partition = "month"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
link = { type = "VARCHAR", doc = "link" }
station = { type = "VARCHAR", doc = "station of the link; NULL where site.toml does not know it" }
direction = { type = "VARCHAR", doc = "in or out, of the station" }
from_at = { type = "TIMESTAMP", doc = "begin of the interval" }
to_at = { type = "TIMESTAMP", doc = "end of the interval" }
avg_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "average" }
max_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "largest poll rate inside" }
file_id = { type = "VARCHAR", doc = "file the row comes from" }
line_no = { type = "BIGINT", doc = "line of that file" }

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
    SELECT m.*
    FROM bronze.mrtg_log m JOIN silver.link_file f USING (file_id)
    WHERE m.from_at >= f.data_from_at
    QUALIFY row_number() OVER (PARTITION BY m.link, m.from_at, m.to_at ORDER BY m.file_id, m.line_no) = 1
),
-- A log ends with rows that are bounded by its polls, not by five minutes. Where another snapshot of it knows that time
-- on the grid, these are no news, and would count seconds twice.
gridded AS (
    SELECT *, epoch_us(from_at) % 300000000 = 0 AND epoch_us(to_at) % 300000000 = 0 AS is_on_grid FROM known
),
kept AS (
    SELECT * EXCLUDE (is_on_grid) FROM gridded k
    WHERE is_on_grid OR NOT EXISTS (
        SELECT 1 FROM gridded g
        WHERE g.is_on_grid AND g.link = k.link AND g.from_at < k.to_at AND g.to_at > k.from_at)
),
-- a row of which finer rows cover every second says nothing new
finer AS (
    SELECT c.link, c.from_at, c.to_at, f.from_at AS finer_from_at, f.to_at AS finer_to_at,
           -- snapshots may hold one time in several steps: it counts once
           max(f.to_at) OVER (PARTITION BY c.link, c.from_at, c.to_at ORDER BY f.from_at, f.to_at
                              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reached_at
    FROM kept c JOIN kept f
        -- no row of MRTG's tiers crosses midnight UTC
        ON f.link = c.link AND f.day = c.day AND f.from_at >= c.from_at AND f.to_at <= c.to_at
       AND date_diff('microsecond', f.from_at, f.to_at) < date_diff('microsecond', c.from_at, c.to_at)
),
covered AS (
    SELECT link, from_at, to_at,
           sum(greatest(date_diff('microsecond', greatest(finer_from_at, coalesce(reached_at, finer_from_at)),
                                  finer_to_at), 0)) AS finer_us
    FROM finer GROUP BY link, from_at, to_at
),
finest AS (
    SELECT k.*, s.station, coalesce(s.polled, 'host') AS polled
    FROM kept k
    LEFT JOIN covered c ON c.link = k.link AND c.from_at = k.from_at AND c.to_at = k.to_at
    LEFT JOIN site.link s ON s.link = k.link
    WHERE c.finer_us IS NULL OR c.finer_us < date_diff('microsecond', k.from_at, k.to_at)
)
SELECT CAST(from_at AS DATE) AS day, link, station, CASE WHEN polled = 'switch' THEN 'out' ELSE 'in' END AS direction,
       from_at, to_at, in_bytes_s AS avg_bytes_s, in_max_bytes_s AS max_bytes_s, file_id, line_no
FROM finest
UNION ALL
SELECT CAST(from_at AS DATE) AS day, link, station, CASE WHEN polled = 'switch' THEN 'in' ELSE 'out' END AS direction,
       from_at, to_at, out_bytes_s AS avg_bytes_s, out_max_bytes_s AS max_bytes_s, file_id, line_no
FROM finest
