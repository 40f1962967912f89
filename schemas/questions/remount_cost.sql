/*
title = "Cost of remounts, by storage group"
topic = "mounts"
why = "A tape that is mounted five times a day, for one file each time, costs five mounts where one would do."
takes = ["first_day", "last_day", "station"]

[columns]
storage_group = { type = "VARCHAR", doc = "storage group (owner of the files, e.g. an experiment) to which most bytes of each mount belong" }
day = { type = "DATE", doc = "site day of the mount request; where no log shows the request, of the mount's first logged step" }
n_mounts = { type = "BIGINT", doc = "number of mounts in which files moved and whose tape a log names" }
n_volumes = { type = "BIGINT", doc = "number of different tapes in the mounts counted in n_mounts" }
avg_remounts = { type = "DOUBLE", doc = "average remounts of the day as WLCG defines them: n_mounts / n_volumes; 1 is ideal" }
n_extra = { type = "BIGINT", doc = "number of remounts: mounts of a tape after its first mount of the day" }
wasted_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours of mounting and dismounting in remounts. For each tape: number of remounts x the tape's average time for mounting and dismounting on the day. A time that no log shows counts as 0. NULL if no log shows any time of a remounted tape" }
*/
WITH per_volume AS (
    SELECT y.storage_group, y.site_day AS day, y.system, y.volume, count(*) AS n_mounts,
           sum(coalesce(s.mount_s + s.dismount_s, s.mount_s, s.dismount_s)) AS mount_s
    FROM gold.mount y
    JOIN silver.session s ON s.system = y.system AND s.session_id = y.session_id
        AND near_days(s.day, $first_day - 1, $last_day + 1)
    WHERE y.site_day BETWEEN $first_day AND $last_day AND y.volume IS NOT NULL AND $station IN ('', y.station)
    GROUP BY y.storage_group, y.site_day, y.system, y.volume
)
SELECT storage_group, day, CAST(sum(n_mounts) AS BIGINT) AS n_mounts, count(*) AS n_volumes, avg(n_mounts) AS avg_remounts,
       CAST(sum(n_mounts) - count(*) AS BIGINT) AS n_extra,
       CASE WHEN sum(n_mounts) = count(*) THEN 0e0
            ELSE sum(mount_s * (n_mounts - 1) / n_mounts) FILTER (WHERE n_mounts > 1) / 3600 END AS wasted_hours
FROM per_volume
GROUP BY storage_group, day
ORDER BY wasted_hours DESC, storage_group, day
