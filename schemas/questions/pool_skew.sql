/*
title = "How evenly the same work is shared"
topic = "pools"
why = "Pools that serve the same requests, and disks of one host, should share them. This shows each share next to a fair one."
takes = ["first_day", "last_day"]

[columns]
kind = { type = "VARCHAR", doc = "pool, or disk" }
system = { type = "VARCHAR", doc = "archive system of a pool; host of a disk" }
work = { type = "VARCHAR", doc = "kind of request" }
member = { type = "VARCHAR", doc = "pool, or device" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "bytes requested or moved" }
share = { type = "DOUBLE", unit = "1", doc = "share of all members' load" }
fair_share = { type = "DOUBLE", unit = "1", doc = "number of members" }
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
