/*
title = "Properties of pools that affect the rates of their transfers"
topic = "pools"
why = "Shows each disk pool's server, RAID level, streams, quality of service and weight, and how much data the pool requested to store or restore. The properties decide whether the pool's disks can feed the drives. They are the facts in site.toml on the last day of the period."
takes = ["first_day", "last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system; NULL for a pool without requests in the period" }
pool = { type = "VARCHAR", doc = "name of the disk pool, from requests in logs or from facts in site.toml" }
server = { type = "VARCHAR", doc = "host of the pool, from the fact `server` in site.toml" }
n_on_server = { type = "BIGINT", doc = "number of pools on the same server, including this one, according to the facts in site.toml; NULL where site.toml gives no server" }
raid = { type = "VARCHAR", doc = "RAID level, from the fact `raid`" }
streams = { type = "VARCHAR", doc = "number of transfers that the pool may run at once, from the fact `streams`" }
qos = { type = "VARCHAR", doc = "quality of service that the pool provides, from the fact `qos`" }
balance = { type = "VARCHAR", doc = "how work is assigned to the pool: its weight, or a method; from the fact `balance`" }
others = { type = "VARCHAR", doc = "names and values of other facts about the pool in site.toml" }
asked_hours = { type = "BIGINT", unit = "h", doc = "number of hours in which the pool made requests" }
asked_gb = { type = "DOUBLE", unit = "GB", doc = "data that the pool requested to store or restore" }
share = { type = "DOUBLE", unit = "1", doc = "asked_gb of this pool / asked_gb of all pools of the archive system; NULL for a pool without requests in the period" }
asked_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate of requested data: asked_gb / asked_hours, in MB/s; NULL for a pool without requests in the period" }
*/
WITH used AS (
    SELECT system, member AS pool, count(DISTINCT hour_at) AS asked_hours, sum(moved_gb) AS asked_gb
    FROM gold.pool_share WHERE kind = 'pool' AND day BETWEEN $first_day AND $last_day
    GROUP BY system, member
),
held AS (
    SELECT * FROM site.fact WHERE coalesce(since_day <= $last_day, true) AND coalesce(until_day > $last_day, true)
),
declared AS (
    SELECT entity AS pool, any_value(value) FILTER (name = 'server') AS server, any_value(value) FILTER (name = 'raid') AS raid,
           any_value(value) FILTER (name = 'streams') AS streams, any_value(value) FILTER (name = 'qos') AS qos,
           any_value(value) FILTER (name = 'balance') AS balance,
           string_agg(name || ' ' || value, ', ' ORDER BY name)
               FILTER (name NOT IN ('server', 'raid', 'streams', 'qos', 'balance')) AS others
    FROM held
    WHERE entity IN (SELECT pool FROM used UNION SELECT entity FROM held WHERE name = 'server')
    GROUP BY entity
)
SELECT u.system, coalesce(u.pool, t.pool) AS pool, t.server,
       CASE WHEN t.server IS NOT NULL THEN count(*) OVER (PARTITION BY t.server) END AS n_on_server,
       t.raid, t.streams, t.qos, t.balance, t.others, coalesce(u.asked_hours, 0) AS asked_hours, coalesce(u.asked_gb, 0) AS asked_gb,
       u.asked_gb / nullif(sum(u.asked_gb) OVER (PARTITION BY u.system), 0) AS share,
       u.asked_gb * 1e3 / (u.asked_hours * 3600) AS asked_mb_s
FROM used u FULL JOIN declared t ON t.pool = u.pool
ORDER BY u.system NULLS LAST, asked_gb DESC, pool
