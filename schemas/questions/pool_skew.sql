/*
title = "Shares of the same work among pools or disks"
topic = "pools"
why = "Pools that serve the same requests, and disks of the same host, should carry equal loads. This shows the share of each next to the fair share."
takes = ["first_day", "last_day"]

[columns]
kind = { type = "VARCHAR", doc = "pool or disk" }
system = { type = "VARCHAR", doc = "archive system of the pool, or host of the disk" }
work = { type = "VARCHAR", doc = "kind of request or traffic that the pools or disks share" }
member = { type = "VARCHAR", doc = "name of the pool, or device name of the disk" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data that was requested from the pool, or moved by the disk" }
share = { type = "DOUBLE", unit = "1", doc = "share of the load of all pools or disks that share the work" }
fair_share = { type = "DOUBLE", unit = "1", doc = "equal share: 1 / number of pools or disks that share the work" }
*/
WITH summed AS (
    SELECT kind, system, work, member, sum(amount) AS amount, sum(moved_gb) AS moved_gb
    FROM gold.pool_share WHERE day BETWEEN $first_day AND $last_day
    GROUP BY kind, system, work, member
)
SELECT kind, system, work, member, moved_gb, amount / sum(amount) OVER w AS share, 1 / count(*) OVER w AS fair_share
FROM summed
WINDOW w AS (PARTITION BY kind, system, work)
ORDER BY kind, system, work, share DESC, member
