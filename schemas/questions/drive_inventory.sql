/*
title = "Drives by kind, on a day"
topic = "drives"
why = "The drives in service on a day, by library and technology, and what they could stream together."
takes = ["last_day"]

[columns]
robot = { type = "VARCHAR", doc = "library or robot that serves them; NULL where site.toml does not say it" }
generation = { type = "VARCHAR", doc = "technology; NULL likewise" }
n_drives = { type = "BIGINT", doc = "declared drives in service that day" }
nameplate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "native rate of one; NULL where the technology table does not know it" }
total_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "of all of them" }
*/
SELECT robot, generation, count(*) AS n_drives, max(nameplate_mb_s) AS nameplate_mb_s,
       count(*) * max(nameplate_mb_s) AS total_mb_s
FROM site.drive
WHERE is_declared AND coalesce(since_day <= $last_day, true) AND coalesce(until_day > $last_day, true)
GROUP BY robot, generation
ORDER BY robot NULLS LAST, generation NULLS LAST
