/*
title = "Rates and drive time of file families"
grain = "one row per site day, archive system, storage group, file family and mode"
why = "Shows which storage groups and file families used the drives' time, and for what: moving data, waiting, mounting and so on. The hours of gold.drive_ledger are divided among the owners of the files; hours that belong to no file and no mount, such as idle hours, are left out."
partition = "month"
features = ["D1", "D4", "P20"]

[columns]
day = { type = "DATE", doc = "site day. Bytes count on the day on which they moved, drive time on the day on which it was spent, files on the day on which their transfer ended" }
system = { type = "VARCHAR", doc = "archive system" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment; NULL where no log records it" }
file_family = { type = "VARCHAR", doc = "file family: files that share tapes, e.g. one data set; NULL where no log records it" }
mode = { type = "VARCHAR", doc = "read or write" }
n_files = { type = "BIGINT", doc = "number of files whose transfer was completed that day (n_files of gold.tape_traffic)" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "data moved to or from tape that day; only files that were moved completely count" }
drive_rate_basis = { type = "VARCHAR", doc = "basis of the drive rate (how it was measured): the basis with the most bytes; values as in silver.transfer. NULL where no file has a drive rate. drive_s and drive_rate_mb_s leave out files with another basis" }
drive_s = { type = "DOUBLE", unit = "s", doc = "time that drives worked on the files with this drive_rate_basis" }
moving_data_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours inside transfers, complete or not, without waits and checksums. From this column to occupied_hours, each column is one group of gold.drive_time_bucket" }
waiting_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours in which the drive waited for data, for room in the buffer or, after the tape was removed, for disks" }
checksums_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours spent on checksums, inside transfers and between files" }
between_files_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours spent on file mark, database, request and start, mostly between files" }
tape_motion_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours of tape motion" }
mounting_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours of mounting and dismounting; they count for the storage group, family and mode with most of the mount's bytes" }
no_request_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours in which a tape of the family was in a drive that had no request" }
occupied_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours in which a tape of the family was in a drive, and no log or counter shows what the drive did with it" }
busy_hours = { type = "DOUBLE", unit = "h", doc = "sum of the columns moving_data_hours to occupied_hours, except no_request_hours" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes of the files that drive_s covers, divided by drive_s" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "volume_gb / busy_hours, in MB/s; time without a request is left out" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "system", "storage_group", "file_family", "mode"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "busy_hours"
min_value = 0
severity = "critical"
*/
WITH per_basis AS (
    SELECT day AS on_day, system, storage_group, file_family, mode, drive_rate_basis, sum(n_files) AS n_files,
           sum(bytes) AS bytes, nullif(sum(timed_bytes), 0) AS timed_bytes, sum(drive_us) AS drive_us
    FROM gold.tape_traffic
    GROUP BY ALL
),
moved AS (
    SELECT on_day, system, storage_group, file_family, mode, sum(n_files) AS n_files, sum(bytes) AS bytes,
           first(drive_rate_basis ORDER BY timed_bytes DESC NULLS LAST, drive_rate_basis) AS drive_rate_basis,
           first(timed_bytes ORDER BY timed_bytes DESC NULLS LAST, drive_rate_basis) AS timed_bytes,
           first(drive_us ORDER BY timed_bytes DESC NULLS LAST, drive_rate_basis) AS drive_us
    FROM per_basis GROUP BY ALL
),
per_session AS (
    -- a mount's own time goes to the family and mode of most of its bytes; a tape holds one family as a rule
    SELECT system, session_id, storage_group, file_family, mode
    FROM silver.transfer WHERE session_id IS NOT NULL
    GROUP BY system, session_id, storage_group, file_family, mode
    QUALIFY row_number() OVER (PARTITION BY system, session_id
                               ORDER BY sum(bytes) DESC, mode, storage_group, file_family) = 1
),
stated AS (
    SELECT s.system, s.from_at, s.to_at, s.state, date_diff('microsecond', s.from_at, s.to_at) AS whole_us,
           -- parts of a transfer, as in gold.drive_ledger: the waits of its timing line, spread evenly over it
           CASE WHEN s.state = 'transfer'
                THEN CAST(1e6 * (coalesce(t.wait_data_s, 0) + coalesce(t.wait_buffer_s, 0)) AS BIGINT) ELSE 0 END AS wait_us,
           CASE WHEN s.state = 'transfer' THEN CAST(1e6 * coalesce(t.checksum_s, 0) AS BIGINT) ELSE 0 END AS checksum_us,
           CASE WHEN t.transfer_id IS NULL THEN p.storage_group ELSE t.storage_group END AS storage_group,
           CASE WHEN t.transfer_id IS NULL THEN p.file_family ELSE t.file_family END AS file_family,
           CASE WHEN t.transfer_id IS NULL THEN p.mode ELSE t.mode END AS mode,
           unnest(site_days(s.from_at, s.to_at, c.zone)) AS on_day
    FROM silver.drive_state s
    LEFT JOIN silver.transfer t
        ON t.system = s.system
           AND t.transfer_id = CASE WHEN s.state NOT IN ('mount', 'dismount') THEN s.attempt_id END
    LEFT JOIN per_session p ON p.system = s.system AND p.session_id = s.session_id
    CROSS JOIN site.setting c
    WHERE s.state NOT IN ('down', 'hung', 'unknown') AND (t.transfer_id IS NOT NULL OR p.session_id IS NOT NULL)
),
bounds AS (
    SELECT d.on_day, day_begin(d.on_day, c.zone) AS begin_at, day_end(d.on_day, c.zone) AS end_at
    FROM (SELECT DISTINCT on_day FROM stated) d CROSS JOIN site.setting c
),
spent AS (
    SELECT s.on_day, s.system, s.storage_group, s.file_family, s.mode, s.state, s.whole_us,
           date_diff('microsecond', greatest(s.from_at, b.begin_at), least(s.to_at, b.end_at)) AS us,
           least(s.wait_us, s.whole_us) AS wait_us, least(s.wait_us + s.checksum_us, s.whole_us) AS still_us
    FROM stated s JOIN bounds b ON b.on_day = s.on_day
),
split AS (
    SELECT * EXCLUDE (wait_us, still_us),
           CASE WHEN wait_us > 0 THEN part_of(wait_us, us, whole_us) ELSE 0 END AS wait_us,
           CASE WHEN still_us > 0 THEN part_of(still_us, us, whole_us) ELSE 0 END AS still_us
    FROM spent
),
bucketed AS (
    SELECT on_day, system, storage_group, file_family, mode, state AS bucket, us - still_us AS us FROM split
    UNION ALL
    SELECT on_day, system, storage_group, file_family, mode, 'wait_data', wait_us FROM split WHERE wait_us > 0
    UNION ALL
    SELECT on_day, system, storage_group, file_family, mode, 'checksum', still_us - wait_us FROM split
    WHERE still_us > wait_us
),
grouped AS (
    SELECT s.on_day, s.system, s.storage_group, s.file_family, s.mode,
           coalesce(sum(s.us) FILTER (b.time_group <> 'no_request'), 0) AS busy_us,
           coalesce(sum(s.us) FILTER (b.time_group = 'moving_data'), 0) AS moving_data_us,
           coalesce(sum(s.us) FILTER (b.time_group = 'waiting'), 0) AS waiting_us,
           coalesce(sum(s.us) FILTER (b.time_group = 'checksums'), 0) AS checksums_us,
           coalesce(sum(s.us) FILTER (b.time_group = 'between_files'), 0) AS between_files_us,
           coalesce(sum(s.us) FILTER (b.time_group = 'tape_motion'), 0) AS tape_motion_us,
           coalesce(sum(s.us) FILTER (b.time_group = 'mounting'), 0) AS mounting_us,
           coalesce(sum(s.us) FILTER (b.time_group = 'no_request'), 0) AS no_request_us,
           coalesce(sum(s.us) FILTER (b.time_group = 'occupied'), 0) AS occupied_us
    FROM bucketed s JOIN gold.drive_time_bucket b ON b.bucket = s.bucket GROUP BY ALL
)
SELECT coalesce(m.on_day, k.on_day) AS day, coalesce(m.system, k.system) AS system,
       coalesce(m.storage_group, k.storage_group) AS storage_group,
       coalesce(m.file_family, k.file_family) AS file_family, coalesce(m.mode, k.mode) AS mode,
       CAST(coalesce(m.n_files, 0) AS BIGINT) AS n_files, coalesce(m.bytes, 0) / 1e9 AS volume_gb,
       m.drive_rate_basis, m.drive_us / 1e6 AS drive_s, k.moving_data_us / 3.6e9 AS moving_data_hours,
       k.waiting_us / 3.6e9 AS waiting_hours, k.checksums_us / 3.6e9 AS checksums_hours,
       k.between_files_us / 3.6e9 AS between_files_hours, k.tape_motion_us / 3.6e9 AS tape_motion_hours,
       k.mounting_us / 3.6e9 AS mounting_hours, k.no_request_us / 3.6e9 AS no_request_hours,
       k.occupied_us / 3.6e9 AS occupied_hours, k.busy_us / 3.6e9 AS busy_hours, m.timed_bytes / m.drive_us AS drive_rate_mb_s,
       coalesce(m.bytes, 0) / nullif(k.busy_us, 0) AS overall_rate_mb_s
FROM moved m
FULL JOIN grouped k
    ON k.on_day = m.on_day AND k.system = m.system AND k.storage_group IS NOT DISTINCT FROM m.storage_group
       AND k.file_family IS NOT DISTINCT FROM m.file_family AND k.mode IS NOT DISTINCT FROM m.mode
