/*
title = "Work of drives, from the kernel's counters"
topic = "drives"
why = "Shows how much data each drive moved and how it spent its time in use. This needs no log of the archive, only the counters of the host's kernel. A note marks drives whose transfers the counters miss."
takes = ["first_day", "last_day"]

[columns]
drive = { type = "VARCHAR", doc = "name of the drive; NULL where site.toml assigns the device to no drive" }
host = { type = "VARCHAR", doc = "host that the drive is attached to" }
device = { type = "VARCHAR", doc = "device name of the drive in the kernel" }
sampled_hours = { type = "DOUBLE", unit = "h", doc = "hours in which the drive's counters were sampled" }
moving_data_hours = { type = "DOUBLE", unit = "h", doc = "hours that the drive spent in read and write commands; NULL where the counters miss all of the drive's transfers, or no sample has the times of commands" }
tape_motion_hours = { type = "DOUBLE", unit = "h", doc = "hours that the drive spent in other commands: positioning, rewinding, file marks; NULL where the counters miss all of the drive's transfers, or no sample has the times of commands" }
busy_share = { type = "DOUBLE", unit = "1", doc = "share of the sampled time in which the drive executed a command; NULL where no sample has the times of commands" }
read_gb = { type = "DOUBLE", unit = "GB", doc = "data read from tape; NULL where the counters miss all of the drive's transfers" }
written_gb = { type = "DOUBLE", unit = "GB", doc = "data written to tape; NULL where the counters miss all of the drive's transfers" }
drive_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / time in read and write commands; NULL where some samples lack the times of commands, where the drive spent no time in such commands, and where no byte was counted" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / time in use. A drive is in use from the first to the last command of a mount. Where no list of a server or library shows the mounts, the time in use leaves out pauses of more than ten minutes. NULL where no byte was counted" }
f = { type = "DOUBLE", unit = "1", doc = "overall rate / drive rate; NULL where some samples lack the times of commands, and where no byte was counted" }
note = { type = "VARCHAR", doc = "what is missing: transfers or times that the counters did not record, or the name of the device's drive; NULL where nothing is missing" }
*/
WITH counted AS (
    SELECT k.*, date_diff('microsecond', k.from_at, k.to_at) / 3.6e9 AS hours,
           (k.read_s + k.write_s) / 3600 AS moving_hours
    FROM silver.drive_counter k CROSS JOIN site.setting c
    WHERE near_days(k.day, $first_day, $last_day) AND in_days(k.from_at, $first_day, $last_day, c.zone)
),
use AS (
    SELECT host, device, date_diff('microsecond', min(from_at), max(to_at)) / 3.6e9 AS hours
    FROM counted WHERE session_id IS NOT NULL AND NOT is_blind
      AND (read_bytes > 0 OR write_bytes > 0 OR moving_hours > 0 OR motion_s > 0)
    GROUP BY host, device, day, session_id
),
used AS (
    SELECT host, device, sum(hours) AS hours FROM use GROUP BY host, device
),
summed AS (
    SELECT host, device, any_value(drive) AS drive, sum(hours) AS hours, sum(moving_hours) AS moving_hours,
           sum(motion_s) FILTER (NOT is_blind) / 3600 AS motion_hours,
           sum(motion_s) FILTER (is_blind) / 3600 AS blind_hours,
           sum(CAST(read_bytes AS DOUBLE)) / 1e9 AS read_gb, sum(CAST(write_bytes AS DOUBLE)) / 1e9 AS written_gb,
           bool_or(motion_s IS NULL) AS lacks_time
    FROM counted GROUP BY host, device
),
judged AS (
    SELECT s.*, u.hours AS used_hours, s.read_gb + s.written_gb AS gb,
           s.blind_hours > 0 AND s.read_gb + s.written_gb = 0 AS is_blind
    FROM summed s LEFT JOIN used u USING (host, device)
)
SELECT drive, host, device, hours AS sampled_hours, CASE WHEN NOT coalesce(is_blind, FALSE) THEN moving_hours END AS moving_data_hours,
       CASE WHEN NOT coalesce(is_blind, FALSE) THEN motion_hours END AS tape_motion_hours,
       CASE WHEN moving_hours IS NOT NULL
            THEN least(1, (moving_hours + coalesce(motion_hours, 0) + coalesce(blind_hours, 0)) / hours) END AS busy_share,
       CASE WHEN NOT coalesce(is_blind, FALSE) THEN read_gb END AS read_gb,
       CASE WHEN NOT coalesce(is_blind, FALSE) THEN written_gb END AS written_gb,
       CASE WHEN gb > 0 AND NOT lacks_time THEN gb / nullif(3.6 * moving_hours, 0) END AS drive_rate_mb_s,
       CASE WHEN gb > 0 THEN gb / nullif(3.6 * used_hours, 0) END AS overall_rate_mb_s,
       CASE WHEN gb > 0 AND NOT lacks_time THEN moving_hours / nullif(used_hours, 0) END AS f,
       CASE WHEN blind_hours > 0
            THEN format('busy for {:.1f} h in which no byte was counted: HPSS and lin_tape bypass the st driver, whose counters then miss the transfers', blind_hours)
            WHEN drive IS NULL THEN 'site.toml assigns this device to no drive: add mover_host and device to the [[drive]] entry of this drive'
            WHEN lacks_time THEN 'the times of the drive''s commands were not sampled' END AS note
FROM judged
ORDER BY drive NULLS LAST, host, device
