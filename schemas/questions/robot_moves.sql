/*
title = "Robot moves per hour"
topic = "mounts"
why = "Shows the number of tape moves in each hour. If it is close to the number that the robots can make, mounts may have waited for the robot rather than for a drive."
takes = ["first_day", "last_day"]

[params.limit]
type = "DOUBLE"
default = "160"
doc = "number of moves per hour that all robots of the archive system together can make. One PowderHorn makes 160, its upgraded model 240"

[columns]
system = { type = "VARCHAR", doc = "archive system" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC" }
n_moves = { type = "BIGINT", doc = "number of moves in the hour, of all robots of the archive system. Each mount and each dismount of a tape is a move; failed mounts do not count" }
load = { type = "DOUBLE", unit = "1", doc = "n_moves / limit: share of the possible moves that were made" }
move_s = { type = "DOUBLE", unit = "s", doc = "time per move if the robots make as many moves as they can: 3600 s / limit" }
*/
WITH moved AS (
    -- one after the other, and by UTC days too, so that only files with such an instant are read
    SELECT system, mounted_at AS moved_at FROM silver.session
    WHERE status <> 'mount_failed' AND near_days(mounted_at, $first_day, $last_day)
    UNION ALL
    SELECT system, dismounted_at FROM silver.session
    WHERE status <> 'mount_failed' AND near_days(dismounted_at, $first_day, $last_day)
      AND witnesses IS DISTINCT FROM 'counter'
)
SELECT m.system, date_trunc('hour', m.moved_at) AS hour_at, count(*) AS n_moves, count(*) / $limit AS load,
       3600 / $limit AS move_s
FROM moved m CROSS JOIN site.setting c
WHERE in_days(m.moved_at, $first_day, $last_day, c.zone)
GROUP BY m.system, date_trunc('hour', m.moved_at)
ORDER BY n_moves DESC, system, hour_at
