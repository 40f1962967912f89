/*
title = "Durations of mounts, to fit the sizing formula"
why = "Lists files, bytes and seconds of each mount, to fit the formula for the number of drives needed. The formula is fitted for each technology of drives, and for reads and writes separately. Time without a request is not included."
takes = ["last_day"]

[params.n_days]
type = "BIGINT"
default = "28"
doc = "number of site days in the period that ends with last_day"

[columns]
generation = { type = "VARCHAR", doc = "technology of the drive; NULL where site.toml does not name it" }
mode = { type = "VARCHAR", doc = "read or write" }
session_id = { type = "VARCHAR", doc = "identifier of the mount" }
drive = { type = "VARCHAR", doc = "drive" }
days_since = { type = "DOUBLE", unit = "d", doc = "days from the earliest mount request in the result to this mount's request; NULL where no log shows this request" }
n_files = { type = "BIGINT", doc = "number of files that the mount moved; mounts with a failed or incomplete transfer are left out" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "data that the mount moved to or from tape" }
wall_s = { type = "DOUBLE", unit = "s", doc = "time from the mount request to the end of the dismount, minus no_request_s. For a mount known only from a list of a server or library, the time starts when the tape is in the drive" }
moving_s = { type = "DOUBLE", unit = "s", doc = "sum of the times from first to last block of the mount's files, including waits for data or for room in the buffer" }
drive_s = { type = "DOUBLE", unit = "s", doc = "time that the drive worked on the mount's files, from which the drive rate is computed; NULL where the drive rate is not known" }
between_s = { type = "DOUBLE", unit = "s", doc = "sum of the gaps between the mount's files, minus tape motion and no_request_s; NULL where a gap of the mount was not logged" }
position_s = { type = "DOUBLE", unit = "s", doc = "tape motion in the mount, including the motion to the first file" }
no_request_s = { type = "DOUBLE", unit = "s", doc = "time between files in which the drive had no request. This time is lack of work, not a cost of the mount" }
*/
WITH moving AS (
    SELECT system, session_id, bool_and(status = 'ok') AS is_whole,
           sum(date_diff('microsecond', started_at, ended_at)) AS us
    FROM silver.transfer
    WHERE session_id IS NOT NULL
      AND day >= $last_day - CAST($n_days AS INTEGER)  -- no value is before its mount
    GROUP BY system, session_id
),
idle AS (
    SELECT system, session_id, sum(CAST(round(1e6 * no_request_s) AS BIGINT)) AS us, count(*) AS n_gaps,
           sum(CAST(round(1e6 * (gap_s - no_request_s - position_s)) AS BIGINT)) AS between_us
    FROM silver.gap
    WHERE day >= $last_day - CAST($n_days AS INTEGER)
    GROUP BY system, session_id
)
SELECT d.generation, r.mode, r.session_id, r.drive,
       date_diff('microsecond', min(r.requested_at) OVER (), r.requested_at) / 86400e6 AS days_since,
       r.n_files, r.volume_gb, r.wall_s - coalesce(i.us, 0) / 1e6 AS wall_s, m.us / 1e6 AS moving_s, r.drive_s,
       CASE WHEN coalesce(i.n_gaps, 0) = r.n_files - 1 THEN coalesce(i.between_us, 0) / 1e6 END AS between_s,
       r.position_s, coalesce(i.us, 0) / 1e6 AS no_request_s
FROM gold.mount r
JOIN moving m ON m.system = r.system AND m.session_id = r.session_id AND m.is_whole
LEFT JOIN idle i ON i.system = r.system AND i.session_id = r.session_id
LEFT JOIN site.drive d ON d.drive = r.drive
WHERE r.site_day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day
  AND r.mode IN ('read', 'write') AND r.volume_gb > 0 AND r.drive_rate_basis IS DISTINCT FROM 'counter' AND r.wall_s > coalesce(i.us, 0) / 1e6
ORDER BY d.generation, r.mode, r.requested_at, r.session_id
