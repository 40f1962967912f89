/*
title = "Which logs count for which entity"
why = "Input of the coverage gate: the logs of a drive are the logs of its system; the logs of a station are the logs of its links and its other names."

[columns]
name = { type = "VARCHAR", doc = "drive or station" }
other = { type = "VARCHAR", doc = "name under which logs may cover it" }
*/
SELECT drive AS name, system AS other FROM site.drive WHERE system IS NOT NULL
UNION SELECT station, link FROM site.link
UNION SELECT station, alias FROM site.station_alias
