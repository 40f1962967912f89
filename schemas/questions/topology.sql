/*
title = "Flow of data from tape to tape"
topic = "stations"
why = "Shows the site's stations with their spools and links, its kinds of drives, and the data that moved between drives and stations in each direction. Stations and drives are declared in site.toml or found in logs; spools and links are declared."
takes = ["first_day", "last_day"]

[columns]
station = { type = "VARCHAR", doc = "name of the station; NULL for drives that moved no data to or from a station" }
role = { type = "VARCHAR", doc = "role of the station in site.toml; NULL where only logs name the station" }
spool = { type = "VARCHAR", doc = "size of the station's spool, and the number of its disks that were sampled in the period" }
links = { type = "VARCHAR", doc = "names of the station's network links, each with the capacity that site.toml declares, if any" }
facts = { type = "VARCHAR", doc = "names and values of the facts that site.toml declares for the station on the last day of the period" }
mode = { type = "VARCHAR", doc = "read (from drives to station) or write (from station to drives); NULL where no data moved" }
kind = { type = "VARCHAR", doc = "kind of drives, named by robot and technology" }
n_drives = { type = "BIGINT", doc = "number of drives of this kind in service on the last day, declared or found in logs" }
n_hosts = { type = "BIGINT", doc = "number of hosts (mover hosts or tape servers) to which these drives are attached; NULL where no host is known" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data moved in the period between these drives and the station; NULL where nothing moved" }
*/
WITH drive AS (
    SELECT drive, coalesce(nullif(concat_ws(' ', robot, generation), ''), 'drives of unknown kind') AS kind, mover_host,
           coalesce(since_day <= $last_day, true) AND coalesce(until_day > $last_day, true) AS is_in_service
    FROM site.drive
),
counted AS (
    SELECT kind, count(*) FILTER (is_in_service) AS n_drives,
           nullif(count(DISTINCT mover_host) FILTER (is_in_service), 0) AS n_hosts
    FROM drive GROUP BY kind
),
passed AS (
    SELECT t.station, d.kind, t.mode, CAST(sum(t.bytes) AS DOUBLE) / 1e9 AS moved_gb
    FROM gold.tape_traffic t JOIN drive d ON d.drive = t.drive
    WHERE t.day BETWEEN $first_day AND $last_day AND t.station IS NOT NULL
    GROUP BY t.station, d.kind, t.mode
),
disk AS (
    SELECT system AS station, count(DISTINCT member) AS n_disks FROM gold.pool_share
    WHERE kind = 'disk' AND day BETWEEN $first_day AND $last_day GROUP BY system
),
link AS (
    SELECT station, string_agg(link || coalesce(format(' {:g} MB/s', capacity_mb_s), ''), ', ' ORDER BY link) AS links
    FROM site.link GROUP BY station
),
fact AS (
    SELECT entity, string_agg(name || ' ' || value, ', ' ORDER BY name) AS facts FROM site.fact
    WHERE coalesce(since_day <= $last_day, true) AND coalesce(until_day > $last_day, true) GROUP BY entity
),
-- stations that only logs name have no role
station AS (
    SELECT station, role, spool_gb FROM site.station
    UNION ALL
    SELECT DISTINCT station, NULL, NULL FROM passed WHERE station NOT IN (SELECT station FROM site.station)
)
SELECT coalesce(s.station, p.station) AS station, s.role,
       nullif(concat_ws(', ', CASE WHEN s.spool_gb IS NOT NULL THEN format('{:g} GB', s.spool_gb) END,
                        CASE WHEN d.n_disks = 1 THEN '1 disk' WHEN d.n_disks > 1 THEN format('{} disks', d.n_disks) END), '')
           AS spool,
       l.links, f.facts, p.mode, coalesce(p.kind, c.kind) AS kind, c.n_drives, c.n_hosts, p.moved_gb
FROM station s
FULL JOIN passed p ON p.station = s.station
FULL JOIN counted c ON c.kind = p.kind
LEFT JOIN disk d ON d.station = s.station
LEFT JOIN link l ON l.station = s.station
LEFT JOIN fact f ON f.entity = s.station
ORDER BY s.station NULLS LAST, p.mode NULLS LAST, kind
