/*
title = "Capacity of links, from the speed of their ports"
grain = "one row per link and UTC day on which, on at least one side of the link (switch or host), the speeds of all ports were sampled"
why = "Gives the capacity of links, computed from the speeds of their ports; site.toml lists these ports. The capacity is the sum of these speeds. tapescope uses it only where neither site.toml nor MRTG's configuration gives a capacity. A switch reports the speed of its ports (ifHighSpeed), and node_exporter reports the speed of a host's ports."
partition = "month"

[columns]
day = { type = "DATE", doc = "UTC day" }
link = { type = "VARCHAR", doc = "link declared in site.toml" }
capacity_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "sum of the speeds of the link's ports, with the highest speed of each port on that day. If the ports of both sides are known, the smaller of the two sums is used" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "link"]
severity = "critical"
*/
WITH port AS (
    SELECT day, host, interface, description, max(capacity_bytes_s) AS capacity_bytes_s FROM silver.network_sample
    WHERE capacity_bytes_s > 0 GROUP BY day, host, interface, description
),
own AS (
    SELECT p.link, p.polled, n.day, n.host, n.interface, any_value(p.n_ports) AS n_ports, max(n.capacity_bytes_s) AS capacity_bytes_s
    FROM site.link_port p
    JOIN port n ON n.host = coalesce(p.host, n.host) AND (n.interface = p.interface OR n.description = p.description)
    GROUP BY p.link, p.polled, n.day, n.host, n.interface
),
side AS (
    SELECT link, polled, day, sum(capacity_bytes_s) AS capacity_bytes_s FROM own
    GROUP BY link, polled, day HAVING count(*) = any_value(n_ports)
)
SELECT day, link, min(capacity_bytes_s) AS capacity_bytes_s FROM side GROUP BY day, link
