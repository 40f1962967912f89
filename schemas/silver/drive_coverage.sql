/*
title = "Times for which a log or counters show what a drive did"
grain = "one row per drive and unbroken interval that logs or counters cover; an interval that crosses UTC midnight has a row for each day"
why = "Where no log covers a drive, its state is unknown, not idle. A log may cover one drive, all drives of a tape server, or all drives of an archive system. A table of mounts covers only the drives that it lists. Any other drive may hold a tape, because the table lists mounts only after they end. The kernel's counters cover a drive while they are sampled, if they include the times of commands. Where drives of several libraries have the same name, a list of mounts covers each of them only during its mounts."
partition = "month"
features = ["I13", "D4"]

[columns]
day = { type = "DATE", doc = "UTC day of the interval" }
system = { type = "VARCHAR", doc = "archive system of the drive" }
drive = { type = "VARCHAR", doc = "drive" }
from_at = { type = "TIMESTAMP", doc = "start" }
to_at = { type = "TIMESTAMP", doc = "end" }

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "to_at"
column_B = "from_at"
severity = "critical"
*/
WITH logged AS (
    SELECT day, host, speaks_for, from_at, to_at FROM silver.log_coverage
    WHERE speaks_for IN ('drives', 'mounts') AND to_at > from_at
),
named AS (
    SELECT drive FROM site.drive UNION SELECT mover_host FROM site.drive WHERE mover_host IS NOT NULL
    UNION SELECT slot FROM site.drive WHERE slot IS NOT NULL UNION SELECT logname FROM site.drive WHERE logname IS NOT NULL
),
owned AS (
    -- a drive that no log names counts for the first system
    SELECT drive, logname, slot, mover_host,
           coalesce(system, (SELECT min(system) FROM site.drive),
                    (SELECT min(host) FROM logged ANTI JOIN named ON named.drive = logged.host WHERE speaks_for = 'drives')) AS system
    FROM site.drive
),
spoken AS (
    SELECT o.system, o.drive, l.day, l.from_at, l.to_at
    FROM (SELECT DISTINCT system, drive, logname, slot, unnest([drive, logname, slot, mover_host, system]) AS name FROM owned) o
    JOIN logged l ON l.host = o.name AND (l.speaks_for = 'drives' OR o.name IN (o.drive, o.logname, o.slot))
    UNION ALL
    SELECT system, drive, day, from_at, to_at FROM silver.drive_counter
    WHERE drive IS NOT NULL AND read_s + write_s + motion_s IS NOT NULL
    UNION ALL
    -- where drives of several libraries have one name, the table's span covers none of them: only their mounts do
    SELECT system, drive, on_day, greatest(mounted_at, CAST(on_day AS TIMESTAMP)),
           least(dismounted_at, CAST(on_day AS TIMESTAMP) + INTERVAL 1 DAY)
    FROM (SELECT m.system, m.drive, m.mounted_at, m.dismounted_at,
                 CAST(unnest(range(m.day, CAST(m.dismounted_at AS DATE) + INTERVAL 1 DAY, INTERVAL 1 DAY)) AS DATE) AS on_day
          FROM silver.tsm_mount m JOIN site.drive d ON d.drive = m.drive
          WHERE contains(d.logname, ':') AND m.dismounted_at > m.mounted_at)
    WHERE dismounted_at > CAST(on_day AS TIMESTAMP)
),
reached AS (
    SELECT *, max(to_at) OVER (PARTITION BY drive, day ORDER BY from_at, to_at
                               ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_at
    FROM spoken
),
numbered AS (
    SELECT *, sum(CASE WHEN before_at >= from_at THEN 0 ELSE 1 END)
                  OVER (PARTITION BY drive, day ORDER BY from_at, to_at ROWS UNBOUNDED PRECEDING) AS run
    FROM reached
)
SELECT day, system, drive, min(from_at) AS from_at, max(to_at) AS to_at
FROM numbered
GROUP BY day, system, drive, run
