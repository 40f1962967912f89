/*
title = "Duty factors of stations"
grain = "one row per station, direction and site day with at least one half-hour that traffic data cover completely"
why = "Shows whether a station is kept busy: the share of half-hours in which the traffic of its links exceeds duty_threshold_mb_s, the threshold in site.toml."
partition = "month"
lineage = ["file_id", "line_no"]
features = ["D3", "M11", "M16", "M38", "M39"]

[columns]
day = { type = "DATE", doc = "site day on which the half-hours start" }
station = { type = "VARCHAR", doc = "station" }
role = { type = "VARCHAR", doc = "role of the station. A scanning station only reads tapes to check them; pages and report show no duty factor for a scanning station" }
direction = { type = "VARCHAR", doc = "in (towards the station) or out (away from the station)" }
n_bins = { type = "BIGINT", doc = "number of UTC half-hours that traffic data of at least one of the station's links cover completely" }
n_active = { type = "BIGINT", doc = "number of active half-hours: those in which the average rate of the station's links together exceeds duty_threshold_mb_s" }
n_active_half = { type = "BIGINT", doc = "number of half-hours whose average rate exceeds half of duty_threshold_mb_s" }
n_active_twice = { type = "BIGINT", doc = "number of half-hours whose average rate exceeds twice duty_threshold_mb_s" }
active_gb = { type = "DOUBLE", unit = "GB", doc = "data moved in active half-hours (average above duty_threshold_mb_s)" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data moved in all half-hours counted in n_bins" }
low_active_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "lowest average rate of an active half-hour; NULL where no half-hour was active" }
high_active_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest average rate of an active half-hour; NULL where no half-hour was active" }
link_load = { type = "DOUBLE", unit = "1", doc = "highest hourly load of the day, over the station's links in this direction. Load is average rate / capacity. NULL where no log shows the load" }
disk_busy = { type = "DOUBLE", unit = "1", doc = "busy share of the station's busiest disk in that disk's busiest hour of the day; NULL where no log shows it" }
saturated_share = { type = "DOUBLE", unit = "1", doc = "share of an hour's sampled time in which at most 5 % of the station's CPU time was idle; the day's largest hourly value. NULL where no log shows it" }
file_id = { type = "VARCHAR", doc = "log file with the newest traffic data of the day" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "n_bins"
column_B = "n_active"
or_equal = true
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "n_bins"
min_value = 1
max_value = 50
severity = "critical"
*/
WITH fine AS (
    -- whole bytes: their sum does not depend on the order in which the rows come
    SELECT link, direction, time_bucket(INTERVAL 1800 SECOND, from_at) AS bin_at,
           sum(date_diff('microsecond', from_at, to_at)) AS us,
           CAST(round(sum(avg_bytes_s * date_diff('microsecond', from_at, to_at) / 1e6)) AS BIGINT) AS bytes
    FROM silver.link_sample
    WHERE station IS NOT NULL AND to_at < from_at + INTERVAL 1800 SECOND
      AND to_at <= time_bucket(INTERVAL 1800 SECOND, from_at) + INTERVAL 1800 SECOND
    GROUP BY ALL
),
cut AS (
    SELECT link, direction, from_at, to_at, avg_bytes_s, date_diff('microsecond', from_at, to_at) AS row_us,
           unnest(range(time_bucket(INTERVAL 1800 SECOND, from_at), to_at, INTERVAL 1800 SECOND)) AS bin_at
    FROM silver.link_sample
    WHERE station IS NOT NULL AND to_at >= from_at + INTERVAL 1800 SECOND
),
coarse AS (
    SELECT link, direction, bin_at, CAST(round(arg_min(avg_bytes_s, row_us) * 1800) AS BIGINT) AS bytes
    FROM cut
    WHERE from_at <= bin_at AND to_at >= bin_at + INTERVAL 1800 SECOND
    GROUP BY link, direction, bin_at
),
bin AS (
    SELECT coalesce(f.link, c.link) AS link, coalesce(f.direction, c.direction) AS direction,
           coalesce(f.bin_at, c.bin_at) AS bin_at,
           CASE WHEN f.us = 1800000000 THEN f.bytes ELSE c.bytes END AS bytes
    FROM fine f
    FULL JOIN coarse c ON c.link = f.link AND c.direction = f.direction AND c.bin_at = f.bin_at
    WHERE f.us = 1800000000 OR c.bytes IS NOT NULL
),
station_bin AS (
    SELECT l.station, b.direction, b.bin_at, sum(b.bytes) AS bytes, sum(b.bytes) / 1800 / 1e6 AS avg_mb_s
    FROM bin b JOIN site.link l ON l.link = b.link
    GROUP BY l.station, b.direction, b.bin_at
),
witness AS (
    SELECT s.station, s.direction, site_day(s.from_at, c.zone) AS day,
           arg_max(s.file_id, s.from_at) AS file_id, arg_max(s.line_no, s.from_at) AS line_no
    FROM silver.link_sample s CROSS JOIN site.setting c
    WHERE s.station IS NOT NULL
    GROUP BY ALL
),
link AS (
    SELECT day, station, direction, max(load) AS load FROM gold.link_load GROUP BY day, station, direction
),
disk_hour AS (
    SELECT host, device, date_trunc('hour', from_at) AS hour_at,
           sum(CAST(round(busy * date_diff('microsecond', from_at, to_at)) AS BIGINT))
               / sum(date_diff('microsecond', from_at, to_at)) AS busy
    FROM silver.device_sample WHERE busy IS NOT NULL AND to_at > from_at AND kind = 'disk'
    GROUP BY host, tool, device, date_trunc('hour', from_at)
),
disk AS (
    SELECT d.host, site_day(d.hour_at, c.zone) AS day, max(d.busy) AS busy
    FROM disk_hour d CROSS JOIN site.setting c
    GROUP BY ALL
),
processor AS (
    SELECT host, day, max(saturated_s / nullif(covered_s, 0)) AS share FROM gold.host_load GROUP BY host, day
)
SELECT site_day(s.bin_at, c.zone) AS day, s.station, t.role, s.direction,
       count(*) AS n_bins,
       count(*) FILTER (WHERE avg_mb_s > c.duty_threshold_mb_s) AS n_active,
       count(*) FILTER (WHERE avg_mb_s > c.duty_threshold_mb_s / 2) AS n_active_half,
       count(*) FILTER (WHERE avg_mb_s > c.duty_threshold_mb_s * 2) AS n_active_twice,
       coalesce(sum(bytes) FILTER (WHERE avg_mb_s > c.duty_threshold_mb_s), 0) / 1e9 AS active_gb,
       sum(bytes) / 1e9 AS moved_gb,
       min(avg_mb_s) FILTER (WHERE avg_mb_s > c.duty_threshold_mb_s) AS low_active_mb_s,
       max(avg_mb_s) FILTER (WHERE avg_mb_s > c.duty_threshold_mb_s) AS high_active_mb_s,
       any_value(l.load) AS link_load, any_value(d.busy) AS disk_busy, any_value(p.share) AS saturated_share,
       any_value(w.file_id) AS file_id, any_value(w.line_no) AS line_no
FROM station_bin s
JOIN site.station t ON t.station = s.station
CROSS JOIN site.setting c
LEFT JOIN witness w ON w.station = s.station AND w.direction = s.direction
    AND w.day = site_day(s.bin_at, c.zone)
LEFT JOIN link l ON l.station = s.station AND l.direction = s.direction
    AND l.day = site_day(s.bin_at, c.zone)
LEFT JOIN disk d ON d.host = s.station AND d.day = site_day(s.bin_at, c.zone)
LEFT JOIN processor p ON p.host = s.station AND p.day = site_day(s.bin_at, c.zone)
GROUP BY site_day(s.bin_at, c.zone), s.station, t.role, s.direction
