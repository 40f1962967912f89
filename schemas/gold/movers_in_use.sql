/*
title = "Number of drives in use"
grain = "one row per archive system and hour for which a drive log exists"
why = "Shows how many drives were in use at the same time, whether there are too few drives, and whether a published number of working drives is plausible."
partition = "month"
features = ["P15", "P24"]

[columns]
day = { type = "DATE", doc = "site day of hour_at" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC" }
system = { type = "VARCHAR", doc = "archive system" }
n_drives = { type = "BIGINT", doc = "number of the archive system's drives in service on that day, declared in site.toml or found in logs" }
covered_s = { type = "DOUBLE", unit = "s", was = "seen_s", doc = "seconds of the hour that the log of at least one drive covers" }
busy_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours in use, from the mount request to the end of the dismount. If no request was logged, use starts when the tape is in the drive. The bucket drain after the dismount counts too; down, hung and unknown time does not" }
transfer_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours inside transfers, including waits for data or for room in the buffer" }
avg_in_use = { type = "DOUBLE", doc = "average number of drives in use during the seconds in covered_s" }
max_in_use = { type = "BIGINT", doc = "largest number of drives in use at one instant" }
max_transferring = { type = "BIGINT", doc = "largest number of drives inside transfers at one instant, including those that waited for data or room in the buffer" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "hour_at"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "n_drives"
column_B = "max_in_use"
or_equal = true
severity = "warning"
*/
WITH reached AS (
    SELECT system, day, from_at, to_at,
           max(to_at) OVER (PARTITION BY system, day ORDER BY from_at, to_at
                            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_at
    FROM silver.drive_coverage
),
beyond AS (
    -- an hour counts once, for any number of drive logs that cover it
    SELECT system, greatest(from_at, coalesce(before_at, from_at)) AS from_at, to_at
    FROM reached WHERE before_at IS NULL OR to_at > before_at
),
covered_hour AS (
    SELECT *, unnest(range(date_trunc('hour', from_at), to_at, INTERVAL 1 HOUR)) AS hour_at FROM beyond
),
covered AS (
    SELECT system, hour_at,
           sum(date_diff('microsecond', greatest(from_at, hour_at), least(to_at, hour_at + INTERVAL 1 HOUR))) AS covered_us
    FROM covered_hour GROUP BY system, hour_at
),
state AS (
    SELECT system, drive, state, from_at, to_at FROM silver.drive_state WHERE state NOT IN ('down', 'hung', 'unknown')
),
step AS (
    SELECT system, from_at AS step_at, 1 AS used, CASE WHEN state = 'transfer' THEN 1 ELSE 0 END AS transferring FROM state
    UNION ALL
    SELECT system, to_at, -1, CASE WHEN state = 'transfer' THEN -1 ELSE 0 END FROM state
    UNION ALL SELECT system, hour_at, 0, 0 FROM covered  -- the only steps without a drive
),
instant AS (
    -- a drive's states follow upon each other: what ends and begins at one instant is added up first
    SELECT system, step_at, sum(used) AS used, sum(transferring) AS transferring FROM step GROUP BY system, step_at
    HAVING sum(used) <> 0 OR sum(transferring) <> 0 OR bool_or(used = 0)
),
level AS (
    SELECT system, step_at, sum(used) OVER w AS in_use, sum(transferring) OVER w AS transferring
    FROM instant WINDOW w AS (PARTITION BY system ORDER BY step_at ROWS UNBOUNDED PRECEDING)
),
peak AS (
    SELECT system, date_trunc('hour', step_at) AS hour_at, max(in_use) AS max_in_use, max(transferring) AS max_transferring
    FROM level GROUP BY ALL
),
piece AS (
    SELECT *, unnest(range(date_trunc('hour', from_at), to_at, INTERVAL 1 HOUR)) AS hour_at FROM state
),
busy AS (
    SELECT system, hour_at, sum(us) AS busy_us, coalesce(sum(us) FILTER (state = 'transfer'), 0) AS transfer_us
    FROM (SELECT system, state, hour_at, date_diff('microsecond', greatest(from_at, hour_at),
                                                   least(to_at, hour_at + INTERVAL 1 HOUR)) AS us FROM piece)
    GROUP BY system, hour_at
)
SELECT site_day(s.hour_at, c.zone) AS day, s.hour_at, s.system,
       (SELECT count(*) FROM site.drive d WHERE coalesce(d.system, s.system) = s.system
           AND coalesce(site_day(s.hour_at, c.zone) >= d.since_day, true)
           AND coalesce(site_day(s.hour_at, c.zone) < d.until_day, true)) AS n_drives,
       s.covered_us / 1e6 AS covered_s, coalesce(b.busy_us, 0) / 3.6e9 AS busy_hours,
       coalesce(b.transfer_us, 0) / 3.6e9 AS transfer_hours, coalesce(b.busy_us, 0) / s.covered_us AS avg_in_use,
       CAST(coalesce(p.max_in_use, 0) AS BIGINT) AS max_in_use,
       CAST(coalesce(p.max_transferring, 0) AS BIGINT) AS max_transferring
FROM covered s
LEFT JOIN peak p ON p.system = s.system AND p.hour_at = s.hour_at
LEFT JOIN busy b ON b.system = s.system AND b.hour_at = s.hour_at
CROSS JOIN site.setting c
