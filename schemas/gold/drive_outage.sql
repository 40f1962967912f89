/*
title = "Outages of drives"
grain = "one row per outage of a drive; an outage over midnight has one row per site day"
why = "Shows how long each drive was offline, in error or cleaning. The drive's rate shows how much data it could have moved in that time."
partition = "month"
lineage = ["file_id", "line_no", "end_file_id", "end_line_no"]

[columns]
day = { type = "DATE", doc = "site day" }
drive = { type = "VARCHAR", doc = "drive" }
from_at = { type = "TIMESTAMP", doc = "start of the outage, or start of the site day if the outage began earlier" }
to_at = { type = "TIMESTAMP", doc = "end of the outage, or end of the site day if the outage continued" }
down_s = { type = "DOUBLE", unit = "s", doc = "length of the outage within the site day" }
rate_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "drive rate that day. If rates were measured on several bases, only the basis of most bytes counts. NULL if no drive rate of that day is known" }
file_id = { type = "VARCHAR", doc = "file with the log line that shows the start of the outage" }
line_no = { type = "BIGINT", doc = "number of the log line that shows the start of the outage" }
end_file_id = { type = "VARCHAR", doc = "file with the log line that shows the end of the outage; NULL where no line shows the end" }
end_line_no = { type = "BIGINT", doc = "number of the log line that shows the end of the outage; NULL where no line shows the end" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "down_s"
min_value = 0
max_value = 90000
severity = "critical"
*/
WITH ended AS (
    SELECT DISTINCT ON (system, drive, to_at) system, drive, to_at, end_file_id AS file_id, end_line_no AS line_no
    FROM (SELECT system, drive, to_at, end_file_id, end_line_no FROM silver.log_state
          UNION ALL SELECT system, drive, to_at, end_file_id, end_line_no FROM silver.relay_state
          UNION ALL SELECT system, drive, to_at, end_file_id, end_line_no FROM silver.cta_state
          UNION ALL SELECT system, drive, to_at, end_file_id, end_line_no FROM silver.cta_poll_state)
    WHERE end_line_no IS NOT NULL
    ORDER BY end_file_id, end_line_no
),
cut AS (
    SELECT d.drive, d.from_at, d.to_at, d.file_id, d.line_no, e.file_id AS end_file_id, e.line_no AS end_line_no, c.zone,
           unnest(site_days(d.from_at, d.to_at, c.zone)) AS day
    FROM silver.drive_state d CROSS JOIN site.setting c
    LEFT JOIN ended e ON e.system = d.system AND e.drive = d.drive AND e.to_at = d.to_at
    WHERE d.state = 'down'
),
clipped AS (
    SELECT day, drive, greatest(from_at, day_begin(day, zone)) AS from_at,
           least(to_at, day_end(day, zone)) AS to_at,
           file_id, line_no, end_file_id, end_line_no
    FROM cut
),
rate AS (
    -- on the basis of most of its bytes: rates of two bases are never added
    SELECT drive, day, 1e6 * sum(bytes) / nullif(sum(drive_us), 0) AS rate_bytes_s
    FROM gold.tape_traffic
    WHERE drive_rate_basis IS NOT NULL
    GROUP BY drive, day, drive_rate_basis
    QUALIFY row_number() OVER (PARTITION BY drive, day ORDER BY sum(bytes) DESC, drive_rate_basis) = 1
)
SELECT k.day, k.drive, k.from_at, k.to_at, date_diff('microsecond', k.from_at, k.to_at) / 1e6 AS down_s,
       r.rate_bytes_s, k.file_id, k.line_no, k.end_file_id, k.end_line_no
FROM clipped k LEFT JOIN rate r ON r.drive = k.drive AND r.day = k.day
WHERE k.to_at > k.from_at
