/*
title = "Did the change help?"
topic = "changes"
why = "Compares the overall rates of mounts before and after a change. A difference need not be an effect of the change: other changes or chance may have caused it."
takes = ["first_day", "last_day", "changed_at", "drive"]

[columns]
is_after = { type = "BOOLEAN", doc = "true for mounts requested at the change or later; false for earlier mounts. If no log shows the request, the time of the mount's first logged step is used" }
n_sessions = { type = "BIGINT", doc = "number of mounts in this row, before or after the change (see is_after). Only mounts with a known overall rate count" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "data that moved to or from tape in the mounts of this row" }
p25_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "lower quartile of the overall rates of the mounts in this row" }
p50_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median overall rate of the mounts in this row" }
p75_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "upper quartile of the overall rates of the mounts in this row" }
overall_rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "sum of the bytes of all mounts in this row / sum of their wall-clock times" }
*/
WITH mount AS (
    SELECT r.volume_gb, r.wall_s, r.overall_rate_mb_s,
           coalesce(r.requested_at, r.begun_at) >= coalesce(TRY_CAST($changed_at AS TIMESTAMP),
                                      day_begin($last_day, c.zone))
               AS is_after
    FROM gold.mount r CROSS JOIN site.setting c
    WHERE r.site_day BETWEEN $first_day AND $last_day AND r.overall_rate_mb_s IS NOT NULL AND $drive IN ('', r.drive)
)
SELECT is_after, count(*) AS n_sessions, sum(volume_gb) AS volume_gb, quantile_cont(overall_rate_mb_s, 0.25) AS p25_mb_s,
       median(overall_rate_mb_s) AS p50_mb_s, quantile_cont(overall_rate_mb_s, 0.75) AS p75_mb_s,
       sum(volume_gb) * 1e3 / sum(wall_s) AS overall_rate_mb_s
FROM mount
GROUP BY is_after
ORDER BY is_after
