/*
title = "Outages of drives"
grain = "one row per outage of a drive; an outage over midnight has one row per site day"
why = "Shows how long each drive was offline, in error or cleaning while it was in service. The length of the outage times rate_bytes_s is the data that the drive could have moved in that time."
partition = "month"
lineage = ["file_id", "line_no", "end_file_id", "end_line_no"]

[columns]
day = { type = "DATE", doc = "site day" }
drive = { type = "VARCHAR", doc = "drive" }
from_at = { type = "TIMESTAMP", doc = "start of the outage, or start of the site day if the outage began earlier" }
to_at = { type = "TIMESTAMP", doc = "end of the outage, or end of the site day if the outage continued" }
began_at = { type = "TIMESTAMP", doc = "start of the outage, which may be before the site day. There are two exceptions. First, the log may have a hole in the outage before the site day. Then began_at is the end of the last such hole, if a log line shows the end of the outage. Second, if only polls show the outage, began_at is never before the start of the UTC day" }
down_s = { type = "DOUBLE", unit = "s", doc = "length of the outage within the site day. If a log line shows the end of the outage, time that no log covers is left out" }
rate_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "drive rate that day. If rates have several bases, only the basis with the most bytes is used. NULL if no drive rate of that day is known" }
file_id = { type = "VARCHAR", doc = "log file with the log line that shows the start of the outage" }
line_no = { type = "BIGINT", doc = "number of the log line that shows the start of the outage" }
end_file_id = { type = "VARCHAR", doc = "log file with the log line that shows the end of the outage; NULL where no line shows the end" }
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
in_service AS (
    -- a drive that was set offline and then removed is no outage
    SELECT k.* FROM cut k LEFT JOIN site.drive o ON o.drive = k.drive
    WHERE coalesce(k.day >= o.since_day, true) AND coalesce(k.day < o.until_day, true)
),
clipped AS (
    SELECT day, drive, from_at AS began_at, greatest(from_at, day_begin(day, zone)) AS from_at,
           least(to_at, day_end(day, zone)) AS to_at,
           file_id, line_no, end_file_id, end_line_no
    FROM in_service
),
-- holes in the log cut an outage into pieces; one line begins them all
outage AS (
    SELECT day, drive, file_id, line_no, min(began_at) AS began_at, min(from_at) AS from_at, max(to_at) AS to_at,
           sum(date_diff('microsecond', from_at, to_at)) / 1e6 AS down_s, arg_max(end_file_id, from_at) AS end_file_id,
           arg_max(end_line_no, from_at) AS end_line_no
    FROM clipped
    WHERE to_at > from_at
    GROUP BY day, drive, file_id, line_no, CASE WHEN line_no IS NULL THEN from_at END
),
rate AS (
    -- on the basis of most of its bytes: rates of two bases are never added
    SELECT drive, day, 1e6 * sum(bytes) / nullif(sum(drive_us), 0) AS rate_bytes_s
    FROM gold.tape_traffic
    WHERE drive_rate_basis IS NOT NULL
    GROUP BY drive, day, drive_rate_basis
    QUALIFY row_number() OVER (PARTITION BY drive, day ORDER BY sum(bytes) DESC, drive_rate_basis) = 1
)
SELECT k.day, k.drive, k.from_at, k.to_at, k.began_at, k.down_s, r.rate_bytes_s, k.file_id, k.line_no, k.end_file_id, k.end_line_no
FROM outage k LEFT JOIN rate r ON r.drive = k.drive AND r.day = k.day
