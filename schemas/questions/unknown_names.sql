/*
title = "Names in logs that site.toml does not declare"
topic = "operations"
why = "Lists stations, drives and links that occur only in logs. Some metrics, such as duty factors, cover only stations and links that site.toml declares. No rule reports when the log of an undeclared station, drive or link stops."
takes = ["first_day", "last_day"]

[columns]
kind = { type = "VARCHAR", doc = "what the name seems to be: station (a client of transfers or a host with samples), drive or link" }
name = { type = "VARCHAR", doc = "name as it occurs in the logs" }
found_in = { type = "VARCHAR", doc = "relations of the warehouse that contain the name" }
n_rows = { type = "BIGINT", doc = "number of rows of these relations in the period that contain the name" }
first_at = { type = "TIMESTAMP", doc = "time of the first of these rows, UTC" }
last_at = { type = "TIMESTAMP", doc = "time of the last of these rows, UTC" }
*/
WITH declared AS (
    SELECT 'station' AS kind, station AS name FROM site.station
    UNION SELECT 'drive', drive FROM site.drive WHERE is_declared
    UNION SELECT 'station', mover_host FROM site.drive WHERE is_declared
    UNION SELECT 'link', link FROM site.link
),
named AS NOT MATERIALIZED (
    SELECT 'station' AS kind, station AS name, 'silver.transfer' AS relation, day, started_at AS at FROM silver.transfer
    UNION ALL SELECT 'drive', drive, 'silver.transfer', day, started_at FROM silver.transfer
    UNION ALL SELECT 'drive', drive, 'silver.session', day, from_at FROM silver.session
    UNION ALL SELECT 'link', link, 'silver.link_sample', day, from_at FROM silver.link_sample
    UNION ALL SELECT 'station', host, 'silver.host_sample', day, from_at FROM silver.host_sample
    UNION ALL SELECT 'station', host, 'silver.device_sample', day, from_at FROM silver.device_sample
),
strange AS (
    -- mostly empty: the rows of declared names, one per second and disk, are not counted further
    SELECT kind, name FROM named
    WHERE near_days(day, $first_day, $last_day) AND name IS NOT NULL GROUP BY kind, name
    EXCEPT SELECT kind, name FROM declared
)
SELECT n.kind, n.name, string_agg(DISTINCT n.relation, ' ' ORDER BY n.relation) AS found_in, count(*) AS n_rows,
       min(n.at) AS first_at, max(n.at) AS last_at
FROM named n
JOIN strange s ON s.kind = n.kind AND s.name = n.name
CROSS JOIN site.setting c
WHERE near_days(n.day, $first_day, $last_day)
  AND in_days(n.at, $first_day, $last_day, c.zone)
GROUP BY n.kind, n.name
ORDER BY n.kind, n_rows DESC, n.name
