/*
title = "How evenly the same work is shared"
topic = "pools"
why = "Pools that serve the same requests, and disks of one host, should share them: what each got, beside a fair share."
takes = ["first_day", "last_day"]

[columns]
kind = { type = "VARCHAR", doc = "pool, or disk" }
system = { type = "VARCHAR", doc = "archive system of a pool; host of a disk" }
work = { type = "VARCHAR", doc = "what was wanted of it" }
member = { type = "VARCHAR", doc = "pool, or device" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "bytes asked for, or moved" }
share = { type = "DOUBLE", unit = "1", doc = "of what all members got" }
fair_share = { type = "DOUBLE", unit = "1", doc = "one of so many members" }
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
