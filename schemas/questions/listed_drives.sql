/*
title = "Use of drives, from a server's or a library's list of mounts"
if_empty = "This needs a list of mounts: Enstore's table tape_mounts, TSM's table SUMMARY or activity log, a library's history of mounts, or SCSI pages of the drives."
topic = "requests"
why = "Shows how long each drive held a tape, how often tapes were mounted, and how often a tape was soon mounted again. The mounts come from lists of TSM's server or a library, from Enstore's accounting (table tape_mounts) where no log of the movers shows them, or from SCSI pages of the drives. The time with a tape is an upper limit of the time in which data moved."
takes = ["first_day", "last_day"]

[params.again_hours]
type = "DOUBLE"
default = "2"
doc = "a mount counts as repeated if the same tape left a drive at most this many hours earlier. The two drives may differ"

[columns]
system = { type = "VARCHAR", doc = "archive system" }
library = { type = "VARCHAR", doc = "library; NULL where the list does not name it" }
drive = { type = "VARCHAR", doc = "name of the drive; if site.toml assigns the library's name of the drive (`slot`) to no drive, the library's name" }
n_mounts = { type = "BIGINT", doc = "number of mounts in the drive that began in the period" }
n_volumes = { type = "BIGINT", doc = "number of different tapes in the mounts counted in n_mounts" }
n_repeats = { type = "BIGINT", was = "n_again", doc = "number of repeated mounts: those whose tape was dismounted from any drive at most again_hours earlier" }
mounted_hours = { type = "DOUBLE", unit = "h", doc = "hours of the period with a tape in the drive; mounts whose end is not known do not count" }
mounted_share = { type = "DOUBLE", unit = "1", doc = "mounted_hours / hours of the period" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data moved in mounts that began in the period, as counted by a log, the library or the drive; NULL where none of them counts it" }
overall_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "moved_gb / time with a tape in the drive, for the mounts that moved this data. This time includes time without work" }
median_minutes = { type = "DOUBLE", unit = "min", doc = "median length of the mounts, including mounts that began before the period; mounts whose end is not known do not count" }
*/
-- Mounts with an unknown end count as mounts, with no time.
WITH bound AS (
    SELECT day_begin($first_day, zone) AS from_at, day_end($last_day, zone) AS to_at
    FROM site.setting
),
listed AS (
    SELECT system, session_id, library, coalesce(drive, slot) AS drive, volume, mounted_at, dismounted_at, mounted_s
    FROM silver.listed_mount
    UNION ALL
    SELECT system, session_id, NULL, drive, volume, mounted_at, dismounted_at,
           date_diff('microsecond', mounted_at, dismounted_at) / 1e6
    FROM silver.session WHERE witnesses = 'table' AND mounted_at IS NOT NULL
),
held AS (
    SELECT *, max(dismounted_at) OVER (PARTITION BY system, library, volume ORDER BY mounted_at, drive
                                       ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_at
    FROM listed
),
moved AS (
    SELECT system, session_id, CAST(sum(bytes) AS DOUBLE) AS bytes FROM silver.transfer
    WHERE status = 'ok' AND session_id IS NOT NULL GROUP BY system, session_id
)
SELECT h.system, h.library, h.drive, count(*) FILTER (h.mounted_at >= b.from_at) AS n_mounts,
       count(DISTINCT h.volume) FILTER (h.mounted_at >= b.from_at) AS n_volumes,
       count(*) FILTER (h.mounted_at >= b.from_at
                        AND h.mounted_at - h.before_at <= to_seconds($again_hours * 3600)) AS n_repeats,
       coalesce(sum(epoch(least(h.dismounted_at, b.to_at) - greatest(h.mounted_at, b.from_at)))
                    FILTER (h.dismounted_at IS NOT NULL), 0) / 3600 AS mounted_hours,
       coalesce(sum(epoch(least(h.dismounted_at, b.to_at) - greatest(h.mounted_at, b.from_at)))
                    FILTER (h.dismounted_at IS NOT NULL), 0) / epoch(any_value(b.to_at) - any_value(b.from_at)) AS mounted_share,
       sum(t.bytes) FILTER (h.mounted_at >= b.from_at) / 1e9 AS moved_gb,
       sum(t.bytes) FILTER (h.mounted_at >= b.from_at)
           / nullif(sum(h.mounted_s) FILTER (t.bytes IS NOT NULL AND h.mounted_at >= b.from_at), 0) / 1e6 AS overall_mb_s,
       median(h.mounted_s) / 60 AS median_minutes
FROM held h CROSS JOIN bound b
LEFT JOIN moved t ON t.system = h.system AND t.session_id = h.session_id
WHERE h.mounted_at < b.to_at AND coalesce(h.dismounted_at, h.mounted_at) >= b.from_at
GROUP BY h.system, h.library, h.drive
ORDER BY h.system, h.library, h.drive
