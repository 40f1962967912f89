/*
title = "First and last day with data, and settings of the site"
topic = "operations"
why = "Shows the first and last day with data, and settings of the site, such as its expected gap between files."

[columns]
first_day = { type = "DATE", doc = "first site day in any log that was read; NULL if no log was read. Days before 1990, and days more than a day after the newest log file was last changed, count only if there are no other days" }
last_day = { type = "DATE", doc = "last site day in any log that was read, chosen like first_day; NULL if no log was read" }
name = { type = "VARCHAR", doc = "name of the site" }
zone = { type = "VARCHAR", doc = "time zone of the site's calendar days" }
expected_gap_s = { type = "DOUBLE", unit = "s", doc = "avoidable gap between files that is normal at this site" }
duty_threshold_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate of all of a station's links together, in one direction, above which a half-hour counts as active" }
*/
WITH bound AS (
    -- files that an archive or an image dates 1970 or 1980 do not say when they were written
    SELECT TIMESTAMP '1990-01-01' AS least_at, max(make_timestamp(modified_ns // 1000)) FILTER (modified_ns >= 631152000e9) + INTERVAL 1 DAY AS most_at
    FROM ops.file
),
reached AS (
    SELECT min(v.hour_at) AS first_at, max(v.hour_at) AS last_at,
           min(v.hour_at) FILTER (v.hour_at >= b.least_at AND v.hour_at <= coalesce(b.most_at, v.hour_at)) AS sound_first_at,
           max(v.hour_at) FILTER (v.hour_at >= b.least_at AND v.hour_at <= coalesce(b.most_at, v.hour_at)) AS sound_last_at
    FROM ops.coverage v CROSS JOIN bound b WHERE v.covered_s > 0 OR v.expected_s IS NULL
),
-- values in a metric were read, even if their source does not declare its hours
metric AS (
    SELECT day FROM gold.drive_ledger UNION SELECT day FROM gold.duty_factor
),
measured AS (
    SELECT min(m.day) AS first_day, max(m.day) AS last_day,
           min(m.day) FILTER (m.day >= b.least_at AND m.day <= coalesce(b.most_at, m.day)) AS sound_first_day,
           max(m.day) FILTER (m.day >= b.least_at AND m.day <= coalesce(b.most_at, m.day)) AS sound_last_day
    FROM metric m CROSS JOIN bound b
)
SELECT coalesce(least(site_day(r.sound_first_at, c.zone), m.sound_first_day),
                least(site_day(r.first_at, c.zone), m.first_day)) AS first_day,
       coalesce(greatest(site_day(r.sound_last_at, c.zone), m.sound_last_day),
                greatest(site_day(r.last_at, c.zone), m.last_day)) AS last_day,
       c.name, c.zone, c.expected_gap_s, c.duty_threshold_mb_s
FROM site.setting c CROSS JOIN reached r CROSS JOIN measured m
