/*
title = "Drives that moved files, by day"
topic = "drives"
why = "Shows how many drives of each robot and technology moved files on each day. It also names the drives that were added or removed since the previous listed day."
takes = ["first_day", "last_day"]

[columns]
day = { type = "DATE", doc = "site day" }
robot = { type = "VARCHAR", doc = "robot that serves the drives; NULL where site.toml does not name it" }
generation = { type = "VARCHAR", doc = "technology of the drives; NULL where site.toml does not name it" }
n_drives = { type = "BIGINT", doc = "number of drives with at least one file whose transfer started on that day and was completed" }
n_tapes = { type = "BIGINT", doc = "number of tapes with at least one file whose transfer started on that day and was completed" }
added = { type = "VARCHAR", was = "came", doc = "drives that moved files on this day, but not on the previous listed day of the same robot and technology; NULL on the first listed day" }
removed = { type = "VARCHAR", was = "gone", doc = "drives that moved files on the previous listed day of the same robot and technology, but not on this day; NULL on the first listed day" }
*/
WITH quarter AS (
    -- zones differ by quarters of an hour, so the day is computed once per quarter, not per file
    SELECT DISTINCT time_bucket(INTERVAL 15 MINUTE, t.started_at) AS quarter_at, t.drive, t.system, t.volume
    FROM silver.transfer t CROSS JOIN site.setting c
    WHERE near_days(t.day, $first_day, $last_day) AND t.status = 'ok'
      AND in_days(t.started_at, $first_day, $last_day, c.zone)
),
used AS (
    SELECT site_day(q.quarter_at, c.zone) AS day, d.robot, d.generation,
           list_sort(list(DISTINCT q.drive)) AS drives, count(DISTINCT (q.system, q.volume)) FILTER (q.volume IS NOT NULL) AS n_tapes
    FROM quarter q CROSS JOIN site.setting c LEFT JOIN site.drive d ON d.drive = q.drive
    GROUP BY ALL
),
compared AS (
    SELECT *, lag(drives) OVER (PARTITION BY robot, generation ORDER BY day) AS before FROM used
)
SELECT day, robot, generation, len(drives) AS n_drives, n_tapes,
       CASE WHEN before IS NOT NULL
            THEN array_to_string(list_filter(drives, lambda one: NOT list_contains(before, one)), ' ') END AS added,
       array_to_string(list_filter(before, lambda one: NOT list_contains(drives, one)), ' ') AS removed
FROM compared
ORDER BY day, robot NULLS LAST, generation NULLS LAST
