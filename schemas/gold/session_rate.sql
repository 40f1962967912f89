/*
title = "Rates of sessions"
grain = "one row per mount in which files moved"
why = "A drive that can stream 120 MB/s delivers 30: drive rate and overall rate side by side, per mount."
partition = "month"
lineage = ["file_id", "line_no"]
features = ["D1", "P37"]

[columns]
day = { type = "DATE", doc = "site day of the mount request, or of the first step known" }
session_id = { type = "VARCHAR", doc = "session" }
system = { type = "VARCHAR", doc = "archive system" }
station = { type = "VARCHAR", doc = "station that asked for most of its bytes" }
drive = { type = "VARCHAR", doc = "drive" }
volume = { type = "VARCHAR", doc = "tape label" }
mode = { type = "VARCHAR", doc = "read, write or mixed" }
requested_at = { type = "TIMESTAMP", doc = "mount request" }
dismounted_at = { type = "TIMESTAMP", doc = "drive free again" }
n_files = { type = "BIGINT", doc = "files moved whole" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "moved on tape by them" }
drive_s = { type = "DOUBLE", unit = "s", doc = "time the drive worked on them, by the basis" }
drive_rate_basis = { type = "VARCHAR", doc = "call, block or encp (the client's rate, whose time also counts waits for data and file marks); mixed where its files differ: then there is no drive rate" }
wall_s = { type = "DOUBLE", unit = "s", doc = "mount request to dismounted; NULL where either was not logged" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / drive_s" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / wall_s, gaps, mount and dismount included" }
f = { type = "DOUBLE", unit = "1", doc = "overall / drive rate" }
file_id = { type = "VARCHAR", doc = "file of the session's first step" }
line_no = { type = "BIGINT", doc = "that line" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "session_id"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "f"
min_value = 0
max_value = 1.05
severity = "warning"
*/
WITH per_station AS (
    SELECT system, session_id, station, sum(bytes) AS bytes,
           row_number() OVER (PARTITION BY system, session_id ORDER BY sum(bytes) DESC, station) AS place
    FROM silver.transfer WHERE status = 'ok' AND session_id IS NOT NULL
    GROUP BY system, session_id, station
),
moved AS (
    -- whole microseconds: their sum is the same in whatever order the files come
    SELECT system, session_id, count(*) AS n_files, sum(bytes) AS bytes,
           sum(CAST(1e6 * drive_s AS BIGINT)) / 1e6 AS drive_s,
           count(DISTINCT drive_rate_basis) AS n_bases, min(drive_rate_basis) AS a_basis,
           bool_or(drive_s IS NULL) AS lacks_time
    FROM silver.transfer
    WHERE status = 'ok' AND session_id IS NOT NULL
    GROUP BY system, session_id
),
timed AS (
    SELECT s.*, m.n_files, m.bytes, p.station,
           CASE WHEN m.n_bases = 1 AND NOT m.lacks_time THEN m.drive_s END AS drive_s,
           CASE WHEN m.n_bases = 0 THEN NULL WHEN m.n_bases > 1 OR m.lacks_time THEN 'mixed' ELSE m.a_basis END
               AS drive_rate_basis,
           date_diff('microsecond', s.requested_at, s.dismounted_at) / 1e6 AS wall_s
    FROM silver.session s
    JOIN moved m ON m.system = s.system AND m.session_id = s.session_id
    LEFT JOIN per_station p ON p.system = s.system AND p.session_id = s.session_id AND p.place = 1
)
SELECT site_day(coalesce(t.requested_at, t.from_at), g.zone) AS day, t.session_id,
       t.system, t.station, t.drive, t.volume, t.mode, t.requested_at, t.dismounted_at, t.n_files,
       t.bytes / 1e9 AS volume_gb, t.drive_s, t.drive_rate_basis, t.wall_s,
       t.bytes / 1e6 / nullif(t.drive_s, 0) AS drive_rate_mb_s, t.bytes / 1e6 / nullif(t.wall_s, 0) AS overall_rate_mb_s,
       t.drive_s / nullif(t.wall_s, 0) AS f, t.file_id, t.line_no
FROM timed t CROSS JOIN site.setting g
