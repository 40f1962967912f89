/*
title = "Traffic of stations beside that of tapes"
grain = "one row per station, direction and 1800 s bin in which files moved between drives elsewhere and the station, where its links were seen"
why = "What comes from a tape comes over the station's links: a link that carried less than the drives moved was counted wrongly, or is not the one the files took."
partition = "month"
lineage = ["file_id", "line_no"]
features = ["G5", "D8"]

[columns]
day = { type = "DATE", doc = "site day the bin begins in" }
bin_at = { type = "TIMESTAMP", doc = "begin of the bin, UTC" }
station = { type = "VARCHAR", doc = "station" }
direction = { type = "VARCHAR", doc = "in (read from tape) or out (written to tape), of the station" }
link_gb = { type = "DOUBLE", unit = "GB", doc = "carried by its links in the bin, all traffic" }
tape_gb = { type = "DOUBLE", unit = "GB", doc = "moved by drives for it in the bin less 300 s at each end, spread evenly over each file: what the links carried in the bin whatever clocks and polls do" }
n_files = { type = "BIGINT", doc = "files that took part" }
file_id = { type = "VARCHAR", doc = "file of the bin's first row of traffic" }
line_no = { type = "BIGINT", doc = "that row" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["bin_at", "station", "direction"]
severity = "critical"
*/
WITH moved AS (
    -- a drive in the station itself uses no link
    SELECT t.station, CASE t.mode WHEN 'read' THEN 'in' ELSE 'out' END AS direction, t.started_at, t.ended_at, t.bytes,
           unnest(range(time_bucket(INTERVAL 1800 SECOND, t.started_at), t.ended_at, INTERVAL 1800 SECOND)) AS bin_at
    FROM silver.transfer t SEMI JOIN site.link l ON l.station = t.station
    WHERE t.status = 'ok' AND t.mode IN ('read', 'write') AND t.ended_at > t.started_at
      AND split_part(t.mover_host, '.', 1) IS DISTINCT FROM t.station
),
core AS (
    SELECT station, direction, bin_at, bytes, date_diff('microsecond', started_at, ended_at) AS whole_us,
           date_diff('microsecond', greatest(started_at, bin_at + INTERVAL 300 SECOND),
                     least(ended_at, bin_at + INTERVAL 1500 SECOND)) AS core_us
    FROM moved
),
tape AS (
    -- bytes, whole: their sum is the same in whatever order the rows come
    SELECT station, direction, bin_at, count(*) AS n_files,
           sum(CAST(CAST(bytes AS HUGEINT) * core_us // whole_us AS BIGINT)) AS bytes
    FROM core WHERE core_us > 0 GROUP BY station, direction, bin_at
),
piece AS (
    SELECT station, link, direction, from_at, to_at, avg_bytes_s, file_id, line_no,
           time_bucket(INTERVAL 1800 SECOND, from_at) AS bin_at, to_at >= from_at + INTERVAL 1800 SECOND AS is_coarse
    FROM silver.link_sample
    WHERE station IS NOT NULL AND to_at <= time_bucket(INTERVAL 1800 SECOND, from_at) + INTERVAL 1800 SECOND
),
per_link AS (
    SELECT station, link, direction, bin_at, is_coarse,
           sum(CAST(round(avg_bytes_s * date_diff('microsecond', from_at, to_at) / 1e6) AS BIGINT)) AS bytes,
           arg_min(file_id, (from_at, file_id, line_no)) AS file_id,
           arg_min(line_no, (from_at, file_id, line_no)) AS line_no
    FROM piece GROUP BY ALL
    HAVING sum(date_diff('microsecond', from_at, to_at)) = 1800000000
),
carried AS (
    -- where finer rows cover the bin they count, else the coarse one
    SELECT * FROM per_link
    QUALIFY row_number() OVER (PARTITION BY station, link, direction, bin_at ORDER BY is_coarse) = 1
),
link AS (
    SELECT station, direction, bin_at, sum(bytes) AS bytes, arg_min(file_id, link) AS file_id,
           arg_min(line_no, link) AS line_no, count(*) AS n_links
    FROM carried GROUP BY station, direction, bin_at
),
owned AS (
    SELECT station, count(*) AS n_links FROM site.link GROUP BY station
)
SELECT CAST(timezone(c.zone, timezone('UTC', t.bin_at)) AS DATE) AS day, t.bin_at, t.station, t.direction,
       l.bytes / 1e9 AS link_gb, t.bytes / 1e9 AS tape_gb, t.n_files, l.file_id, l.line_no
FROM tape t
JOIN link l ON l.station = t.station AND l.direction = t.direction AND l.bin_at = t.bin_at
JOIN owned o ON o.station = t.station AND o.n_links = l.n_links
CROSS JOIN site.setting c
