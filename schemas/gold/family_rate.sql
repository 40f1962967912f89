/*
title = "Rates of file families"
grain = "one row per site day, storage group, file family and mode"
why = "Whose files the drives' time went to, and on what: the ledger's kinds of time by those who asked for them."
partition = "month"
features = ["D1", "D4", "P20"]

[columns]
day = { type = "DATE", doc = "site day; bytes and drive time count on the day in which they passed, files on that in which they ended" }
system = { type = "VARCHAR", doc = "archive system" }
storage_group = { type = "VARCHAR", doc = "storage group; NULL where no log tells it" }
file_family = { type = "VARCHAR", doc = "file family; NULL where no log tells it" }
mode = { type = "VARCHAR", doc = "read or write" }
n_files = { type = "BIGINT", doc = "files moved whole that ended that day" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "moved on tape by them" }
drive_rate_basis = { type = "VARCHAR", doc = "call, block or encp: the one most of the bytes have; the others are left out of drive_s and drive_rate_mb_s" }
drive_s = { type = "DOUBLE", unit = "s", doc = "time drives worked on files of that basis" }
transfer_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours from first to last block, waits and checksums inside included, whole or not" }
gap_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours between files: file mark, checksum, database, request and start" }
position_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours of tape motion" }
mount_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours of mounting and dismounting, by the files of the mount" }
no_request_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours in which its tape was in the drive and nobody wanted it" }
busy_hours = { type = "DOUBLE", unit = "h", doc = "the first four together: what its work took" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / drive_s" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / busy_hours; time of mounts that nobody asked for is not its cost" }

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
    SELECT s.system, s.from_at, s.to_at, c.zone, s.state,
           CASE WHEN t.transfer_id IS NULL THEN p.storage_group ELSE t.storage_group END AS storage_group,
           CASE WHEN t.transfer_id IS NULL THEN p.file_family ELSE t.file_family END AS file_family,
           CASE WHEN t.transfer_id IS NULL THEN p.mode ELSE t.mode END AS mode,
           unnest(site_days(s.from_at, s.to_at, c.zone)) AS on_day
    FROM silver.drive_state s
    LEFT JOIN silver.transfer t
        ON t.system = s.system
           AND t.transfer_id = CASE WHEN s.state NOT IN ('mount', 'dismount') THEN s.try_id END
    LEFT JOIN per_session p ON p.system = s.system AND p.session_id = s.session_id
    CROSS JOIN site.setting c
    WHERE s.state NOT IN ('down', 'unknown') AND (t.transfer_id IS NOT NULL OR p.session_id IS NOT NULL)
),
spent AS (
    SELECT on_day, system, storage_group, file_family, mode, state,
           sum(date_diff('microsecond',
                         greatest(from_at, day_begin(on_day, zone)),
                         least(to_at, day_end(on_day, zone))))
               AS us
    FROM stated GROUP BY ALL
),
kind AS (
    SELECT on_day, system, storage_group, file_family, mode,
           coalesce(sum(us) FILTER (state = 'transfer'), 0) AS transfer_us,
           coalesce(sum(us) FILTER (state IN ('filemark', 'checksum', 'database', 'request', 'start')), 0) AS gap_us,
           coalesce(sum(us) FILTER (state = 'position'), 0) AS position_us,
           coalesce(sum(us) FILTER (state IN ('mount', 'dismount')), 0) AS mount_us,
           coalesce(sum(us) FILTER (state = 'no_request'), 0) AS no_request_us
    FROM spent GROUP BY ALL
)
SELECT coalesce(m.on_day, k.on_day) AS day, coalesce(m.system, k.system) AS system,
       coalesce(m.storage_group, k.storage_group) AS storage_group,
       coalesce(m.file_family, k.file_family) AS file_family, coalesce(m.mode, k.mode) AS mode,
       CAST(coalesce(m.n_files, 0) AS BIGINT) AS n_files, coalesce(m.bytes, 0) / 1e9 AS volume_gb,
       m.drive_rate_basis, m.drive_us / 1e6 AS drive_s, k.transfer_us / 3.6e9 AS transfer_hours,
       k.gap_us / 3.6e9 AS gap_hours, k.position_us / 3.6e9 AS position_hours, k.mount_us / 3.6e9 AS mount_hours,
       k.no_request_us / 3.6e9 AS no_request_hours,
       (k.transfer_us + k.gap_us + k.position_us + k.mount_us) / 3.6e9 AS busy_hours,
       m.timed_bytes / m.drive_us AS drive_rate_mb_s,
       coalesce(m.bytes, 0) / nullif(k.transfer_us + k.gap_us + k.position_us + k.mount_us, 0) AS overall_rate_mb_s
FROM moved m
FULL JOIN kind k
    ON k.on_day = m.on_day AND k.system = m.system AND k.storage_group IS NOT DISTINCT FROM m.storage_group
       AND k.file_family IS NOT DISTINCT FROM m.file_family AND k.mode IS NOT DISTINCT FROM m.mode
