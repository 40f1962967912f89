/*
title = "Names under which logs cover a drive or station"
why = "Shows which logs must be read for a verdict about a drive or station. Drive: logs of its archive system. Station: logs of its links and aliases."

[columns]
name = { type = "VARCHAR", doc = "name of the drive or station" }
other = { type = "VARCHAR", doc = "name of an archive system, link or alias whose logs cover the drive or station" }
*/
SELECT drive AS name, system AS other FROM site.drive WHERE system IS NOT NULL
UNION SELECT station, link FROM site.link
UNION SELECT station, alias FROM site.station_alias
