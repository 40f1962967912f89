/*
title = "Names in the logs that site.toml does not know"
topic = "operations"
why = "What nobody declared is in no station's figures, and nobody is told when it falls silent: stations, drives and links that only logs name."
takes = ["first_day", "last_day"]

[columns]
kind = { type = "VARCHAR", doc = "station (a client of transfers, or a host of samples), drive or link" }
name = { type = "VARCHAR", doc = "as the logs have it" }
seen_in = { type = "VARCHAR", doc = "relations that name it" }
n_rows = { type = "BIGINT", doc = "rows of the period that do" }
first_at = { type = "TIMESTAMP", doc = "first of them, UTC" }
last_at = { type = "TIMESTAMP", doc = "last of them, UTC" }
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
    -- mostly none: the rows of those that are declared, one for each second and disk, are then counted no further
    SELECT kind, name FROM named
    WHERE near_days(day, $first_day, $last_day) AND name IS NOT NULL GROUP BY kind, name
    EXCEPT SELECT kind, name FROM declared
)
SELECT n.kind, n.name, string_agg(DISTINCT n.relation, ' ' ORDER BY n.relation) AS seen_in, count(*) AS n_rows,
       min(n.at) AS first_at, max(n.at) AS last_at
FROM named n
JOIN strange s ON s.kind = n.kind AND s.name = n.name
CROSS JOIN site.setting c
WHERE near_days(n.day, $first_day, $last_day)
  AND in_days(n.at, $first_day, $last_day, c.zone)
GROUP BY n.kind, n.name
ORDER BY n.kind, n_rows DESC, n.name
