/*
title = "Files with impossible dates"
topic = "operations"
why = "Lists log files with dates before 1990, or more than a day after the file was last written. Such dates come from a wrong clock, or from swapped day and month. These days do not count as days with data."

[columns]
path = { type = "VARCHAR", doc = "path of the file" }
source = { type = "VARCHAR", doc = "source (kind of log) as which the file was read" }
first_at = { type = "TIMESTAMP", doc = "earliest instant in the file, UTC" }
last_at = { type = "TIMESTAMP", doc = "latest instant in the file, UTC" }
written_at = { type = "TIMESTAMP", doc = "when the file was last written, UTC; NULL where the file system gives a date before 1990, which must be wrong" }
summary = { type = "VARCHAR", was = "says", doc = "what is wrong with the dates in the file" }
*/
WITH file AS (
    SELECT path, source, min(first_at) AS first_at, max(last_at) AS last_at,
           max(make_timestamp(modified_ns // 1000)) FILTER (modified_ns >= 631152000e9) AS written_at
    FROM ops.file WHERE state = 'loaded' GROUP BY path, source
)
SELECT path, source, first_at, last_at, written_at,
       CASE WHEN last_at > written_at + INTERVAL 1 DAY
            THEN 'instants up to ' || strftime(site_time(last_at, zone), '%Y-%m-%d %H:%M')
                 || ', but the file was last written at ' || strftime(site_time(written_at, zone), '%Y-%m-%d %H:%M')
                 || ' (' || zone || ')'
            ELSE 'instants from ' || strftime(site_time(first_at, zone), '%Y-%m-%d %H:%M') || ' (' || zone || '), before 1990'
            END AS summary
FROM file CROSS JOIN (SELECT coalesce(max(zone), 'UTC') AS zone FROM site.setting)
WHERE last_at > written_at + INTERVAL 1 DAY OR first_at < TIMESTAMP '1990-01-01'
ORDER BY last_at DESC, path
