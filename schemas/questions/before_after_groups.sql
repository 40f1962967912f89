/*
title = "Which storage groups did the change help?"
topic = "changes"
why = "Compares the overall rates of each storage group's mounts before and after a change. A change that helps one group may slow another. A difference need not be an effect of the change: other changes or chance may have caused it."
takes = ["first_day", "last_day", "changed_at", "drive"]

[columns]
storage_group = { type = "VARCHAR", doc = "storage group (owner of the files, e.g. an experiment). A mount counts for the group with the most bytes moved in the mount. NULL where no log records the group" }
mode = { type = "VARCHAR", doc = "mode of the mounts: read, write or mixed (both in one mount)" }
n_before = { type = "BIGINT", doc = "number of mounts in this row that were requested before the change. Only mounts with a known overall rate count. If no log shows the request, the time of the mount's first logged step is used" }
n_after = { type = "BIGINT", doc = "number of mounts in this row that were requested at the change or after it, counted by the same rules as n_before" }
before_gb = { type = "DOUBLE", unit = "GB", doc = "data moved in the mounts counted in n_before" }
after_gb = { type = "DOUBLE", unit = "GB", doc = "data moved in the mounts counted in n_after" }
before_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "overall rate before the change: bytes / wall-clock time of the mounts counted in n_before; NULL if n_before is 0" }
after_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "overall rate after the change: bytes / wall-clock time of the mounts counted in n_after; NULL if n_after is 0" }
ratio = { type = "DOUBLE", unit = "1", doc = "after_mb_s / before_mb_s" }
*/
WITH mount AS (
    SELECT r.storage_group, r.mode, r.volume_gb, r.wall_s,
           coalesce(r.requested_at, r.begun_at) >= coalesce(TRY_CAST($changed_at AS TIMESTAMP),
                                      day_begin($last_day, c.zone))
               AS is_after
    FROM gold.mount r
    CROSS JOIN site.setting c
    WHERE r.site_day BETWEEN $first_day AND $last_day AND r.overall_rate_mb_s IS NOT NULL AND $drive IN ('', r.drive)
),
summed AS (
    SELECT storage_group, mode, count(*) FILTER (NOT is_after) AS n_before, count(*) FILTER (is_after) AS n_after,
           coalesce(sum(volume_gb) FILTER (NOT is_after), 0) AS before_gb,
           coalesce(sum(volume_gb) FILTER (is_after), 0) AS after_gb,
           sum(volume_gb) FILTER (NOT is_after) * 1e3 / sum(wall_s) FILTER (NOT is_after) AS before_mb_s,
           sum(volume_gb) FILTER (is_after) * 1e3 / sum(wall_s) FILTER (is_after) AS after_mb_s
    FROM mount GROUP BY storage_group, mode
)
SELECT *, after_mb_s / before_mb_s AS ratio FROM summed
ORDER BY before_gb + after_gb DESC, storage_group NULLS LAST, mode
