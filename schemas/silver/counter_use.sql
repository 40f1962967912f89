/*
title = "Data moved by drives per mount, from their counters"
grain = "one row per UTC day and mount (or stretch of use) in which the drive had commands. Sampled intervals are left out if a log of the archive covers the drive in any part of them"
why = "Gives bytes, drive time and wall-clock time where the archive has no log. Drive rate, overall rate and efficiency are computed from these values. A stretch of use is a series of intervals with commands, without a pause over ten minutes or a reset of the counters. A stretch is not a mount, because counters do not show mounts and dismounts."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day; a mount over UTC midnight has a row for each day, and a stretch of use ends at UTC midnight at the latest" }
session_id = { type = "VARCHAR", doc = "identifier of the mount or, where no mount is known, of the stretch of use" }
is_mount = { type = "BOOLEAN", doc = "true for a mount that TSM's server or a library lists, or that the drive's SCSI pages show; false for a stretch of use" }
is_blind = { type = "BOOLEAN", doc = "true if the counters miss the bytes of transfers, as in silver.drive_counter" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive" }
host = { type = "VARCHAR", doc = "host to which the drive is attached" }
from_at = { type = "TIMESTAMP", doc = "start of the first sampled interval with a command" }
to_at = { type = "TIMESTAMP", doc = "end of the last sampled interval with a command. The use itself may have started up to one interval after from_at, or before from_at if the first command took long. It may have ended up to one interval before to_at" }
read_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes read from the drive" }
write_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes written to the drive" }
read_s = { type = "DOUBLE", unit = "s", doc = "time that the drive spent in reads, limited to to_at - from_at" }
write_s = { type = "DOUBLE", unit = "s", doc = "time that the drive spent in writes, limited to to_at - from_at" }
motion_s = { type = "DOUBLE", unit = "s", doc = "time that the drive spent in other commands, such as winding, rewinding and file marks" }
file_id = { type = "VARCHAR", doc = "log file with the first counter sample that has a command" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "system", "session_id"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "to_at"
column_B = "from_at"
severity = "critical"
*/
WITH logged AS (
    -- without polls, which have no bytes
    SELECT DISTINCT o.drive, l.day, l.from_at, l.to_at
    FROM (SELECT drive, unnest([drive, logname, mover_host, system]) AS name FROM site.drive) o
    JOIN silver.log_coverage l ON l.host = o.name AND l.to_at > l.from_at
        AND (l.speaks_for = 'drives' AND l.source <> 'cta_admin' OR l.speaks_for = 'drive_states')
),
alone AS (
    SELECT * FROM silver.drive_counter c
    WHERE drive IS NOT NULL AND session_id IS NOT NULL
      AND (read_bytes > 0 OR write_bytes > 0 OR read_s > 0 OR write_s > 0 OR motion_s > 0)
      AND NOT EXISTS (SELECT 1 FROM logged l
                      WHERE l.drive = c.drive AND l.day = c.day AND l.from_at < c.to_at AND l.to_at > c.from_at)
),
summed AS (
    -- whole microseconds: their sum does not depend on the order in which they come
    SELECT day, session_id, bool_or(is_mount) AS is_mount, bool_and(is_blind) AS is_blind, system, drive, min(host) AS host,
           min(from_at) AS from_at, max(to_at) AS to_at, CAST(sum(read_bytes) AS BIGINT) AS read_bytes,
           CAST(sum(write_bytes) AS BIGINT) AS write_bytes, sum(CAST(round(1e6 * read_s) AS BIGINT)) / 1e6 AS read_s,
           sum(CAST(round(1e6 * write_s) AS BIGINT)) / 1e6 AS write_s, sum(CAST(round(1e6 * motion_s) AS BIGINT)) / 1e6 AS motion_s,
           arg_min(file_id, from_at) AS file_id, arg_min(line_no, from_at) AS line_no
    FROM alone GROUP BY day, session_id, system, drive
)
SELECT * REPLACE (least(read_s, date_diff('microsecond', from_at, to_at) / 1e6) AS read_s,
                  least(write_s, date_diff('microsecond', from_at, to_at) / 1e6) AS write_s)
FROM summed
