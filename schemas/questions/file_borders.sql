/*
title = "Sizes of files, estimated from pauses in disk traffic"
topic = "host"
why = "If samples are frequent, a pause in disk traffic marks the end of a file. The bytes between two pauses are then the size of a file. File sizes can thus be estimated without a log of the archive."
takes = ["first_day", "last_day", "host"]

[params.pause_s]
type = "DOUBLE"
default = "3"
doc = "shortest pause that counts as the end of a file; shorter pauses are attributed to flushes of the page cache"

[params.silent_mb_s]
type = "DOUBLE"
default = "1"
doc = "rate below which a sample counts as a pause"

[columns]
host = { type = "VARCHAR", doc = "host" }
direction = { type = "VARCHAR", doc = "read or write: direction of the traffic at the host's disks" }
tool = { type = "VARCHAR", doc = "program that took the samples; if several did, the one with the most samples of the host" }
step_s = { type = "DOUBLE", unit = "s", doc = "median time between two samples" }
n_files = { type = "BIGINT", doc = "number of files found; each burst of traffic between two pauses counts as a file. NULL where the samples are too far apart to show a pause as short as pause_s" }
p10_gb = { type = "DOUBLE", unit = "GB", doc = "one in ten files (bursts of traffic) is smaller than this" }
p50_gb = { type = "DOUBLE", unit = "GB", doc = "median size of the files (bursts of traffic)" }
p90_gb = { type = "DOUBLE", unit = "GB", doc = "one in ten files (bursts of traffic) is larger than this" }
logged_gb = { type = "DOUBLE", unit = "GB", doc = "for comparison: median size of the files that drives moved for this host in the period, from logs of drives. For disk reads, these are files written to tape; for disk writes, files read from tape. NULL without such files" }
reason_missing = { type = "VARCHAR", was = "cannot_tell", doc = "why file sizes cannot be estimated; NULL where they can" }
*/
WITH counted AS (
    SELECT host, tool, quantile_cont(date_diff('microsecond', from_at, to_at) / 1e6, 0.5) AS step_s
    FROM silver.host_sample
    WHERE near_days(day, $first_day, $last_day) AND to_at > from_at AND $host IN ('', host) AND read_bytes_s IS NOT NULL
    GROUP BY host, tool
    QUALIFY row_number() OVER (PARTITION BY host ORDER BY count(*) DESC, tool) = 1
),
sample AS (
    SELECT s.host, s.tool, unnest(['read', 'write']) AS direction, s.from_at, s.to_at,
           unnest([s.read_bytes_s, s.write_bytes_s]) AS bytes_s, c.step_s
    FROM silver.host_sample s
    JOIN counted c ON c.host = s.host AND c.tool = s.tool
    CROSS JOIN site.setting z
    WHERE near_days(s.day, $first_day, $last_day) AND s.to_at > s.from_at AND c.step_s <= $pause_s
      AND in_days(s.from_at, $first_day, $last_day, z.zone)
),
-- a run: samples next to each other that are all silent, or all not; a hole in the samples is a run of its own
edge AS (
    SELECT *, bytes_s >= $silent_mb_s * 1e6 AS is_busy,
           (bytes_s >= $silent_mb_s * 1e6) IS DISTINCT FROM (lag(bytes_s) OVER past >= $silent_mb_s * 1e6) AS is_turn,
           coalesce(date_diff('microsecond', lag(to_at) OVER past, from_at) / 1e6 > step_s, true) AS is_hole
    FROM sample
    WINDOW past AS (PARTITION BY host, direction ORDER BY from_at)
),
run AS (
    SELECT host, direction, is_busy, min(from_at) AS from_at, bool_or(is_hole) AS is_hole,
           sum(date_diff('microsecond', from_at, to_at)) / 1e6 AS run_s,
           sum(bytes_s * date_diff('microsecond', from_at, to_at) / 1e6) AS bytes
    FROM (SELECT *, count_if(is_turn OR is_hole) OVER (PARTITION BY host, direction ORDER BY from_at) AS run_no FROM edge)
    GROUP BY host, direction, run_no, is_busy
),
-- long pauses and holes separate the bursts
burst AS (
    SELECT *, NOT is_busy AND run_s >= $pause_s AS is_border,
           count_if(is_hole OR NOT is_busy AND run_s >= $pause_s) OVER (PARTITION BY host, direction ORDER BY from_at) AS burst_no
    FROM run
),
file AS (
    -- started by an observed pause, even if only after a hole, and ended by one that follows without a hole
    SELECT host, direction, burst_no, sum(bytes) FILTER (is_busy) AS bytes, bool_or(is_border) AS is_begun,
           lead(bool_or(is_border) AND NOT bool_or(is_hole)) OVER (PARTITION BY host, direction ORDER BY burst_no) AS is_ended
    FROM burst GROUP BY host, direction, burst_no
),
size AS (
    SELECT host, direction, count(*) AS n_files, quantile_cont(bytes, 0.1) / 1e9 AS p10_gb, quantile_cont(bytes, 0.5) / 1e9 AS p50_gb,
           quantile_cont(bytes, 0.9) / 1e9 AS p90_gb
    FROM file WHERE is_begun AND is_ended AND bytes > 0
    GROUP BY host, direction
),
logged AS (
    -- data read from disk goes to tape, and data from tape is written to disk
    SELECT t.station, CASE t.mode WHEN 'write' THEN 'read' ELSE 'write' END AS direction, quantile_cont(t.bytes, 0.5) / 1e9 AS gb
    FROM silver.transfer t CROSS JOIN site.setting z
    WHERE near_days(t.day, $first_day, $last_day) AND t.status = 'ok' AND t.bytes > 0
      AND in_days(t.started_at, $first_day, $last_day, z.zone)
    GROUP BY t.station, t.mode
)
SELECT c.host, d.direction, c.tool, c.step_s, CASE WHEN c.step_s <= $pause_s THEN coalesce(s.n_files, 0) END AS n_files,
       s.p10_gb, s.p50_gb, s.p90_gb, l.gb AS logged_gb,
       CASE WHEN c.step_s > $pause_s
            THEN format('a pause of {:g} s cannot be found in samples {:g} s apart', $pause_s, c.step_s)
            WHEN s.n_files IS NULL THEN 'no burst of traffic between two pauses was found' END AS reason_missing
FROM counted c CROSS JOIN (SELECT unnest(['read', 'write']) AS direction) d
LEFT JOIN size s ON s.host = c.host AND s.direction = d.direction
LEFT JOIN logged l ON l.station = c.host AND l.direction = d.direction
ORDER BY c.host, d.direction
