/*
title = "Names of stations, drives and storage groups in the period"
topic = "requests"
why = "Lists the names of stations, drives and storage groups that can be chosen in the filters of a page."
takes = ["first_day", "last_day"]

[columns]
kind = { type = "VARCHAR", doc = "what has the name: station, drive or group (storage group)" }
name = { type = "VARCHAR", doc = "name of the station, drive or storage group" }
*/
SELECT 'station' AS kind, station AS name FROM gold.mount WHERE site_day BETWEEN $first_day AND $last_day
UNION SELECT 'station', station FROM gold.duty_factor WHERE day BETWEEN $first_day AND $last_day
UNION SELECT 'drive', drive FROM gold.drive_ledger WHERE day BETWEEN $first_day AND $last_day
UNION SELECT 'group', storage_group FROM gold.family_rate WHERE day BETWEEN $first_day AND $last_day
EXCEPT SELECT * FROM (VALUES ('station', NULL), ('drive', NULL), ('group', NULL))
ORDER BY kind, name
