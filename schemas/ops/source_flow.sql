/*
title = "Recent lines of each source, compared with its past"
grain = "one row per source with at least one file that was read, or was refused because of its header"
why = "Compares each source with its own past. This finds sources that fall silent, deliver unusually few or many lines, or change their columns; the numbers of such a source may mislead. Values are from the newest build that changed data."

[columns]
source = { type = "VARCHAR", doc = "source (kind of log)" }
last_at = { type = "TIMESTAMP", doc = "newest instant in the source's files. A file does not count if its newest instant is more than a day after the file was written. NULL if no file of the source counts" }
silent_hours = { type = "DOUBLE", unit = "h", doc = "hours from last_at to the newest instant of any source, not to the present" }
allowed_hours = { type = "DOUBLE", unit = "h", doc = "limit for silent_hours: twice the source's longest recent pause. A pause is the time between the newest instants of two successive days with files; pauses that end on the last 28 such days count. NULL if there are fewer than 8 days with files" }
n_lines = { type = "BIGINT", doc = "number of lines in the files whose newest instant is on the day of last_at" }
usual_n_lines = { type = "DOUBLE", doc = "median number of lines per day, over the last 28 days with files before the day of last_at; NULL if there are fewer than 7 such days" }
times_usual = { type = "DOUBLE", doc = "n_lines / usual_n_lines" }
n_refused = { type = "BIGINT", doc = "number of files that were refused because columns in their header are new or missing" }

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "allowed_hours"
column_B = "silent_hours"
or_equal = true
ignore_row_if = "either_value_is_missing"
severity = "warning"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "times_usual"
min_value = 0.2
max_value = 5
severity = "warning"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "n_refused"
max_value = 0
severity = "warning"
*/
WITH daily AS (
    SELECT source, CAST(last_at AS DATE) AS on_day, sum(n_lines) AS n_lines, max(last_at) AS last_at
    FROM ops.file
    WHERE state = 'loaded' AND source IS NOT NULL AND last_at <= make_timestamp(modified_ns // 1000) + INTERVAL 1 DAY
    GROUP BY source, CAST(last_at AS DATE)
),
placed AS (
    SELECT source, n_lines, last_at, row_number() OVER (PARTITION BY source ORDER BY on_day DESC) AS place,
           date_diff('microsecond', lag(last_at) OVER (PARTITION BY source ORDER BY on_day), last_at) / 3600e6 AS pause
    FROM daily
),
usual AS (
    SELECT source, max(last_at) AS last_at, max(n_lines) FILTER (place = 1) AS n_lines,
           count(*) FILTER (place BETWEEN 2 AND 29) AS n_before,
           median(n_lines) FILTER (place BETWEEN 2 AND 29) AS usual_n_lines,
           max(pause) FILTER (place <= 28) AS longest_pause
    FROM placed GROUP BY source
),
refused AS (
    SELECT source, count(*) AS n_refused FROM ops.file
    WHERE state = 'failed' AND source IS NOT NULL AND reason LIKE 'unknown_header%' GROUP BY source
)
SELECT coalesce(u.source, r.source) AS source, u.last_at,
       date_diff('microsecond', u.last_at, (SELECT max(last_at) FROM usual)) / 3600e6 AS silent_hours,
       CASE WHEN u.n_before >= 7 THEN 2 * u.longest_pause END AS allowed_hours,
       CAST(u.n_lines AS BIGINT) AS n_lines,
       CASE WHEN u.n_before >= 7 THEN CAST(u.usual_n_lines AS DOUBLE) END AS usual_n_lines,
       CASE WHEN u.n_before >= 7 THEN u.n_lines / nullif(CAST(u.usual_n_lines AS DOUBLE), 0) END AS times_usual,
       coalesce(r.n_refused, 0) AS n_refused
FROM usual u FULL JOIN refused r ON r.source = u.source
