/*
title = "Mounts that waited for the robot"
topic = "mounts"
why = "A robot that has one arm, or that stops while a drive loads, mounts one tape after another. Mounts that are requested at the same time then wait longer for their tapes than single mounts."
takes = ["first_day", "last_day"]

[columns]
robot = { type = "VARCHAR", doc = "robot that serves the drives; NULL for drives to which site.toml assigns no robot" }
n_drives = { type = "BIGINT", doc = "number of the robot's drives in which tapes were mounted" }
n_alone = { type = "BIGINT", doc = "number of mounts that waited for their tape while no other drive of the robot waited for one" }
alone_s = { type = "DOUBLE", unit = "s", doc = "median time from request to mounted tape, for the mounts in n_alone" }
n_together = { type = "BIGINT", doc = "number of mounts that waited for their tape while another drive of the robot waited for one" }
together_s = { type = "DOUBLE", unit = "s", doc = "median time from request to mounted tape, for the mounts in n_together" }
n_next = { type = "BIGINT", doc = "number of mounts that still waited for their tape when another drive of the robot got its tape" }
step_s = { type = "DOUBLE", unit = "s", doc = "time between two successive mounts of the robot in different drives: 10th percentile over the mounts in n_next. In nine of ten cases the time was longer" }
waited_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours lost because several drives waited for the robot: sum, over the mounts in n_together, of the wait for the tape less the usual wait of a single mount (alone_s); shorter waits count as 0" }
concurrency = { type = "VARCHAR", was = "works", doc = "how the robot mounts: one at a time (step_s is at least half of alone_s), several at once, or cannot tell (fewer than 10 mounts in n_alone or n_next, or no declared robot)" }
*/
WITH mount AS (
    SELECT d.robot, s.system, s.session_id, s.drive, s.requested_at, s.mounted_at, s.mount_s
    FROM silver.session s
    CROSS JOIN site.setting c
    LEFT JOIN site.drive d ON d.drive = s.drive
    WHERE near_days(s.day, $first_day, $last_day) AND s.mounted_at > s.requested_at
      AND in_days(s.requested_at, $first_day, $last_day, c.zone)
),
sliced AS (
    -- by quarters of an hour, or each mount of a year would be compared with every other
    SELECT *, unnest(range(time_bucket(INTERVAL 15 MINUTE, requested_at), mounted_at, INTERVAL 15 MINUTE)) AS slice_at
    FROM mount
),
neighbour AS (
    SELECT m.system, m.session_id, max(o.mounted_at) FILTER (o.mounted_at <= m.mounted_at) AS last_at
    FROM sliced m
    JOIN sliced o ON o.slice_at = m.slice_at AND o.robot IS NOT DISTINCT FROM m.robot AND o.drive <> m.drive
        AND o.requested_at < m.mounted_at AND o.mounted_at > m.requested_at
    GROUP BY m.system, m.session_id
),
joined AS (
    SELECT m.*, b.session_id IS NOT NULL AS is_together,
           date_diff('microsecond', b.last_at, m.mounted_at) / 1e6 AS step_s
    FROM mount m LEFT JOIN neighbour b ON b.system = m.system AND b.session_id = m.session_id
),
summed AS (
    SELECT robot, count(DISTINCT drive) AS n_drives, count(*) FILTER (NOT is_together) AS n_alone,
           median(mount_s) FILTER (NOT is_together) AS alone_s, count(*) FILTER (is_together) AS n_together,
           median(mount_s) FILTER (is_together) AS together_s, count(step_s) AS n_next,
           quantile_cont(step_s, 0.1) AS step_s
    FROM joined GROUP BY robot
),
waited AS (
    SELECT j.robot, sum(greatest(0, CAST(round(1e6 * (j.mount_s - s.alone_s)) AS BIGINT))) / 3600e6 AS waited_hours
    FROM joined j JOIN summed s ON s.robot IS NOT DISTINCT FROM j.robot
    WHERE j.is_together GROUP BY j.robot
)
SELECT s.robot, s.n_drives, s.n_alone, s.alone_s, s.n_together, s.together_s, s.n_next, s.step_s, w.waited_hours,
       CASE WHEN s.robot IS NULL OR least(s.n_alone, s.n_next) < 10 THEN 'cannot tell'
            WHEN s.step_s >= s.alone_s / 2 THEN 'one at a time' ELSE 'several at once' END AS concurrency
FROM summed s LEFT JOIN waited w ON w.robot IS NOT DISTINCT FROM s.robot
ORDER BY waited_hours DESC NULLS LAST, s.robot NULLS LAST
