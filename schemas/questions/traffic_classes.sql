/*
title = "Organised and scattered traffic of storage groups"
topic = "mounts"
why = "Classifies the traffic of each storage group by the efficiency of its mounts. A mount that serves many requests together usually has an overall rate of at least half of the drive rate. A mount for scattered requests has less than a twentieth of the drive rate."
takes = ["first_day", "last_day"]

[params.organised]
type = "DOUBLE"
default = "0.5"
doc = "a mount counts as organised if its efficiency (overall rate / drive rate) is at least this value"

[params.chaotic]
type = "DOUBLE"
default = "0.05"
doc = "a mount counts as scattered (chaotic) if its efficiency (overall rate / drive rate) is below this value"

[columns]
system = { type = "VARCHAR", doc = "archive system" }
storage_group = { type = "VARCHAR", doc = "storage group (owner of the files, e.g. an experiment) to which most bytes of each mount belong" }
mode = { type = "VARCHAR", doc = "read, write or mixed" }
n_mounts = { type = "BIGINT", doc = "number of mounts with a measured drive rate and a known duration. A drive rate with the drive_rate_basis `estimate` is not measured" }
mount_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours of the mounts counted in n_mounts, from mount request to end of dismount" }
efficiency = { type = "DOUBLE", unit = "1", doc = "share of mount_hours in which the drive moved data" }
organised_share = { type = "DOUBLE", unit = "1", doc = "share of mount_hours spent in organised mounts" }
chaotic_share = { type = "DOUBLE", unit = "1", doc = "share of mount_hours spent in scattered (chaotic) mounts" }
class = { type = "VARCHAR", doc = "class of the group's traffic in this mode, by the efficiency of all its mounts together: organised, chaotic (scattered) or between (neither)" }
*/
WITH mount AS (
    SELECT r.system, r.storage_group, r.mode, r.wall_s, r.drive_s, r.f
    FROM gold.mount r
    WHERE r.site_day BETWEEN $first_day AND $last_day AND r.f IS NOT NULL
      AND r.drive_rate_basis IS DISTINCT FROM 'estimate'  -- too rough, and its time is not from the request
),
summed AS (
    SELECT system, storage_group, mode, count(*) AS n_mounts, sum(wall_s) AS wall_s, sum(drive_s) AS drive_s,
           coalesce(sum(wall_s) FILTER (WHERE f >= $organised), 0) AS organised_s,
           coalesce(sum(wall_s) FILTER (WHERE f < $chaotic), 0) AS chaotic_s
    FROM mount GROUP BY system, storage_group, mode
)
SELECT system, storage_group, mode, n_mounts, wall_s / 3600 AS mount_hours, drive_s / wall_s AS efficiency,
       organised_s / wall_s AS organised_share, chaotic_s / wall_s AS chaotic_share,
       CASE WHEN drive_s / wall_s >= $organised THEN 'organised' WHEN drive_s / wall_s < $chaotic THEN 'chaotic'
            ELSE 'between' END AS class
FROM summed
ORDER BY mount_hours DESC, system, storage_group, mode
