/*
title = "Names under which logs cover a drive or station"
why = "Input of the coverage gate. The logs of a drive are those of its archive system; the logs of a station are those of its links and of its other names."

[columns]
name = { type = "VARCHAR", doc = "name of the drive or station" }
other = { type = "VARCHAR", doc = "name of the system, link or alias whose logs cover it" }
*/
SELECT drive AS name, system AS other FROM site.drive WHERE system IS NOT NULL
UNION SELECT station, link FROM site.link
UNION SELECT station, alias FROM site.station_alias
