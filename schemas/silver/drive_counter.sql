/*
title = "Counters of drives, per sampled interval"
grain = "one row per tape drive and sampled interval; an interval over UTC midnight has two rows. Intervals of one drive do not overlap"
why = "Shows how much data each drive moved and how long it was busy, from the kernel's counters. These also exist where the archive has no log. HPSS and IBM's lin_tape bypass the kernel's st driver. The counters then show commands without bytes, or nothing."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
system = { type = "VARCHAR", doc = "archive system of the drive; NULL where the drive is not known" }
drive = { type = "VARCHAR", doc = "name of the drive; NULL where site.toml does not assign the host's device to a drive" }
host = { type = "VARCHAR", doc = "host to which the drive is attached" }
device = { type = "VARCHAR", doc = "device name in the kernel, e.g. st0" }
tool = { type = "VARCHAR", doc = "program or file format from which the sample comes, e.g. tapestat. If there are several, only rows of the one that covers most of the day are kept" }
from_at = { type = "TIMESTAMP", doc = "start" }
to_at = { type = "TIMESTAMP", doc = "end of the interval. If a sampled interval extends over UTC midnight, its values are divided between the two rows in proportion to time" }
read_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes read from the drive" }
write_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes written to the drive" }
read_s = { type = "DOUBLE", unit = "s", doc = "time that the drive spent in reads that completed in the interval" }
write_s = { type = "DOUBLE", unit = "s", doc = "time that the drive spent in writes that completed in the interval" }
motion_s = { type = "DOUBLE", unit = "s", doc = "time of other commands, such as positioning, rewinding and file marks, that completed in the interval; NULL where the tool does not sample times" }
session_id = { type = "VARCHAR", doc = "identifier of the mount that TSM's server or a library lists, or that the drive's SCSI pages show. If two mounts are in the interval, this is the one with more time in it. Without such a mount, identifier of a stretch of use. This is a series of intervals of a UTC day with commands, without a pause over ten minutes or a reset of the counters. NULL where there is neither a mount nor a command" }
is_mount = { type = "BOOLEAN", doc = "true if session_id identifies a mount; false for a stretch of use, and where session_id is NULL" }
is_blind = { type = "BOOLEAN", doc = "true if no byte was counted in a stretch of use whose commands took ten minutes or more in total. The counters then miss the transfers" }
file_id = { type = "VARCHAR", doc = "file from which the row was made" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "to_at"
column_B = "from_at"
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "motion_s"
min_value = 0
severity = "critical"
*/
WITH name AS (
    SELECT c.host, c.device, d.drive, d.system
    FROM (SELECT DISTINCT host, device FROM bronze.drive_counter) c
    LEFT JOIN site.drive d
        ON d.device = c.device
           AND (d.mover_host = c.host OR split_part(d.mover_host, '.', 1) = split_part(c.host, '.', 1)
                                         AND NOT regexp_full_match(c.host, '[0-9.]+'))
    QUALIFY row_number() OVER (PARTITION BY c.host, c.device ORDER BY d.is_declared DESC NULLS LAST, d.drive) = 1
),
single AS (
    -- exports overlap
    SELECT c.*, coalesce(n.system, CASE WHEN n.drive IS NOT NULL THEN (SELECT min(system) FROM site.drive) END) AS system,
           n.drive, coalesce(n.drive, concat_ws(':', c.host, c.device)) AS name
    FROM bronze.drive_counter c JOIN name n USING (host, device)
    QUALIFY row_number() OVER (PARTITION BY coalesce(n.drive, c.host), c.device, c.tool, c.from_at, c.to_at
                               ORDER BY c.file_id, c.line_no) = 1
),
-- one program counts per day; if it ran twice at once, the file that covers more
weighed AS (
    SELECT *, sum(date_diff('microsecond', from_at, to_at)) OVER (PARTITION BY day, name, tool) AS tool_us,
           sum(date_diff('microsecond', from_at, to_at)) OVER (PARTITION BY day, name, tool, file_id) AS file_us,
           from_at < max(to_at) OVER (PARTITION BY day, name, tool ORDER BY from_at, to_at
                                      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS is_overlapped
    FROM single
),
chosen AS (
    SELECT *, first_value(file_id) OVER (PARTITION BY day, name, tool ORDER BY file_us DESC, file_id) AS best_file,
           bool_or(is_overlapped) OVER (PARTITION BY day, name, tool) AS has_overlap
    FROM weighed
    QUALIFY tool = first_value(tool) OVER (PARTITION BY day, name ORDER BY tool_us DESC, tool)
),
apart AS (
    SELECT * FROM chosen WHERE NOT coalesce(has_overlap, FALSE) OR file_id = best_file
    QUALIFY coalesce(from_at >= max(to_at) OVER (PARTITION BY name ORDER BY from_at, to_at
                                                 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), TRUE)
),
cut AS (
    SELECT *, date_diff('microsecond', from_at, to_at) AS whole_us,
           CAST(unnest(range(CAST(CAST(from_at AS DATE) AS TIMESTAMP), to_at, INTERVAL 1 DAY)) AS DATE) AS on_day
    FROM apart
),
part AS (
    -- whole numbers: the parts add up to the interval
    SELECT *, greatest(0, date_diff('microsecond', from_at, CAST(on_day AS TIMESTAMP))) AS x_us,
           least(whole_us, date_diff('microsecond', from_at, on_day + INTERVAL 1 DAY)) AS y_us
    FROM cut
),
split AS (
    SELECT on_day AS day, system, drive, name, host, device, tool, from_at + to_microseconds(x_us) AS from_at,
           from_at + to_microseconds(y_us) AS to_at,
           part_of(read_bytes, y_us, whole_us) - part_of(read_bytes, x_us, whole_us) AS read_bytes,
           part_of(write_bytes, y_us, whole_us) - part_of(write_bytes, x_us, whole_us) AS write_bytes,
           read_s * (y_us - x_us) / whole_us AS read_s, write_s * (y_us - x_us) / whole_us AS write_s,
           greatest(0, io_s - read_s - write_s) * (y_us - x_us) / whole_us AS motion_s, file_id, line_no
    FROM part
),
busy AS (
    SELECT *, coalesce(read_bytes, 0) + coalesce(write_bytes, 0) AS bytes,
           coalesce(read_s, 0) + coalesce(write_s, 0) + coalesce(motion_s, 0) AS busy_s,
           from_at > lag(to_at) OVER by_time AND file_id = lag(file_id) OVER by_time AS is_after_hole
    FROM split WINDOW by_time AS (PARTITION BY day, name ORDER BY from_at)
),
holed AS (
    -- counters that begin again at zero leave a pause between the file's intervals: the host was started again
    SELECT *, count(*) FILTER (is_after_hole) OVER (PARTITION BY day, name ORDER BY from_at ROWS UNBOUNDED PRECEDING) AS n_holes
    FROM busy
),
paused AS (
    SELECT *, from_at > lag(to_at) OVER by_time + INTERVAL 10 MINUTE OR n_holes > lag(n_holes) OVER by_time AS is_after_pause
    FROM holed WHERE bytes > 0 OR busy_s > 0 WINDOW by_time AS (PARTITION BY day, name ORDER BY from_at)
),
numbered AS (
    SELECT *, sum(CASE WHEN coalesce(is_after_pause, TRUE) THEN 1 ELSE 0 END)
                  OVER (PARTITION BY day, name ORDER BY from_at ROWS UNBOUNDED PRECEDING) AS run
    FROM paused
),
used AS (
    SELECT day, name, from_at, min(from_at) OVER w AS used_from_at,
           coalesce(sum(bytes) OVER w = 0 AND sum(busy_s) OVER w >= 600, FALSE) AS is_blind
    FROM numbered WINDOW w AS (PARTITION BY day, name, run)
),
mount AS (
    SELECT drive, session_id, mounted_at, dismounted_at, lag(mounted_at) OVER (PARTITION BY drive ORDER BY mounted_at) AS before_at
    FROM silver.listed_mount
    WHERE drive IS NOT NULL AND dismounted_at IS NOT NULL
),
mounted AS (
    -- tapes come and go within an interval: of two, it counts for the one that was in the drive for longer
    SELECT b.*, m.session_id AS old_id, date_diff('microsecond', b.from_at, m.dismounted_at) AS old_us,
           n.session_id AS new_id, coalesce(n.before_at >= b.from_at, FALSE) AS has_more,
           date_diff('microsecond', greatest(b.from_at, n.mounted_at), least(b.to_at, n.dismounted_at)) AS new_us
    FROM busy b
    ASOF LEFT JOIN mount m ON m.drive = b.drive AND b.from_at >= m.mounted_at
    ASOF LEFT JOIN mount n ON n.drive = b.drive AND b.to_at > n.mounted_at
),
placed AS (
    SELECT *, CASE WHEN has_more THEN NULL WHEN new_us > greatest(0, old_us) THEN new_id WHEN old_us > 0 THEN old_id END AS mount_id FROM mounted
)
SELECT b.day, b.system, b.drive, b.host, b.device, b.tool, b.from_at, b.to_at, b.read_bytes, b.write_bytes, b.read_s, b.write_s,
       b.motion_s,
       coalesce(b.mount_id, CASE WHEN u.used_from_at IS NOT NULL
                                 THEN concat_ws(' ', b.name, 'use', strftime(u.used_from_at, '%Y-%m-%dT%H:%M:%S.%fZ')) END) AS session_id,
       b.mount_id IS NOT NULL AS is_mount, coalesce(u.is_blind, FALSE) AS is_blind, b.file_id, b.line_no
FROM placed b
LEFT JOIN used u ON u.day = b.day AND u.name = b.name AND u.from_at = b.from_at
