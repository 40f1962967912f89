/*
title = "Drives in service on a day, by library and technology"
topic = "drives"
why = "Shows how many drives of each library and technology were in service on a day, and their total native rate."
takes = ["last_day"]

[columns]
robot = { type = "VARCHAR", doc = "library or robot that serves the drives; NULL where site.toml does not name it" }
generation = { type = "VARCHAR", doc = "technology of the drives; NULL where site.toml does not name it" }
n_drives = { type = "BIGINT", doc = "number of drives that site.toml declares as in service on that day" }
nameplate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "native rate of one drive; NULL where tapescope's list of technologies (`tapescope forecast roadmap`) lacks this technology" }
total_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "sum of the native rates of the drives in this row; NULL where nameplate_mb_s is NULL" }
*/
SELECT robot, generation, count(*) AS n_drives, max(nameplate_mb_s) AS nameplate_mb_s,
       count(*) * max(nameplate_mb_s) AS total_mb_s
FROM site.drive
WHERE is_declared AND coalesce(since_day <= $last_day, true) AND coalesce(until_day > $last_day, true)
GROUP BY robot, generation
ORDER BY robot NULLS LAST, generation NULLS LAST
