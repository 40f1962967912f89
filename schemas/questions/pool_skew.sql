/*
title = "How evenly pools and disks share the load"
topic = "pools"
why = "Pools that serve the same kind of request, and disks of the same host, should carry equal loads. The rows show the share of each pool or disk, and the share that it would have if all loads were equal."
takes = ["first_day", "last_day"]

[columns]
kind = { type = "VARCHAR", doc = "pool or disk" }
system = { type = "VARCHAR", doc = "archive system of the pool, or host of the disk" }
work = { type = "VARCHAR", doc = "kind of request (for pools) or of traffic (for disks) that is shared" }
member = { type = "VARCHAR", doc = "name of the pool, or device name of the disk" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "total size of the files in the pool's requests, or data that the disk read or wrote" }
share = { type = "DOUBLE", unit = "1", doc = "requests of this pool / requests of all pools that share the work; for a disk, bytes of this disk / bytes of all disks that share the work" }
fair_share = { type = "DOUBLE", unit = "1", doc = "share if the load were equal: 1 / number of pools or disks that share the work" }
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
