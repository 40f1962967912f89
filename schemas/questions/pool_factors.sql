/*
title = "What a pool's rate depends on"
topic = "pools"
why = "The server, RAID level, streams, service and weight of each disk pool, with its requests to and from tape: the factors that decide whether disks can feed the drives."
takes = ["first_day", "last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system; NULL for a pool without requests in the period" }
pool = { type = "VARCHAR", doc = "disk pool that requests or facts name" }
server = { type = "VARCHAR", doc = "fact server: host of the pool" }
n_on_server = { type = "BIGINT", doc = "pools on that server in site.toml; NULL where it gives none" }
raid = { type = "VARCHAR", doc = "fact raid" }
streams = { type = "VARCHAR", doc = "fact streams: movers or transfers it may run at once" }
qos = { type = "VARCHAR", doc = "fact qos: the service it provides" }
balance = { type = "VARCHAR", doc = "fact balance: its weight, or how work is assigned to it" }
others = { type = "VARCHAR", doc = "other facts of the pool" }
asked_hours = { type = "BIGINT", unit = "h", doc = "hours with requests" }
asked_gb = { type = "DOUBLE", unit = "GB", doc = "requested, stores and restores" }
share = { type = "DOUBLE", unit = "1", doc = "share of the requests to all pools of the system" }
asked_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "asked_gb / these hours" }
*/
WITH used AS (
    SELECT system, member AS pool, count(DISTINCT hour_at) AS asked_hours, sum(moved_gb) AS asked_gb
    FROM gold.pool_share WHERE kind = 'pool' AND day BETWEEN $first_day AND $last_day
    GROUP BY system, member
),
held AS (
    SELECT * FROM site.fact WHERE coalesce(since_day <= $last_day, true) AND coalesce(until_day > $last_day, true)
),
told AS (
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
FROM used u FULL JOIN told t ON t.pool = u.pool
ORDER BY u.system NULLS LAST, asked_gb DESC, pool
