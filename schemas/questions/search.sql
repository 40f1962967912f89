/*
title = "Search for a name"
topic = "operations"
why = "Finds drives, tapes, stations, storage groups, pools and findings of all days by all or part of a name, for example one that a colleague mentions."

[params.text]
type = "VARCHAR"
doc = "part of the name to search for; upper and lower case are treated alike"

[params.n]
type = "BIGINT"
default = 100
doc = "maximum number of rows"

[columns]
kind = { type = "VARCHAR", doc = "what the name belongs to: drive, volume (tape), station, group (storage group), pool or finding" }
id = { type = "VARCHAR", doc = "name of the drive, tape, station, group or pool; for a finding its id" }
name = { type = "VARCHAR", doc = "name to show; for a finding its rule and entity" }
last_day = { type = "DATE", doc = "last site day for which the warehouse has data or a finding with the name; NULL where only site.toml has the name" }
*/
WITH mounted AS (
    SELECT unnest([{'kind': 'drive', 'id': drive}, {'kind': 'volume', 'id': volume},
                   {'kind': 'station', 'id': station}, {'kind': 'group', 'id': storage_group}], recursive := true),
           last_day
    FROM (SELECT drive, volume, station, storage_group, max(site_day) AS last_day FROM gold.mount GROUP BY ALL)
),
named AS (
    SELECT kind, id, id AS name, last_day FROM mounted
    UNION ALL SELECT 'drive', drive, drive, max(day) FROM gold.drive_ledger GROUP BY drive
    UNION ALL SELECT 'drive', drive, drive, NULL FROM site.drive
    UNION ALL SELECT 'station', station, station, max(day) FROM gold.duty_factor GROUP BY station
    UNION ALL SELECT 'station', station, station, NULL FROM site.station
    UNION ALL SELECT 'pool', pool, pool, max(day) FROM silver.pool_hour GROUP BY pool
    UNION ALL SELECT 'finding', finding_id, rule || ' ' || entity, max(day) FROM gold.finding GROUP BY ALL
)
SELECT kind, id, any_value(name) AS name, max(last_day) AS last_day
FROM named
WHERE id IS NOT NULL AND contains(lower(name), lower($text))
GROUP BY kind, id
ORDER BY lower(any_value(name)) <> lower($text), kind, any_value(name)
LIMIT $n
