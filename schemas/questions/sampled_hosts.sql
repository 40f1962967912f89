/*
title = "Hosts with samples of CPUs, disks and network"
topic = "host"
why = "Shows for which hosts the logs contain samples of load, and whether CPUs, disks or network were sampled. The question `host_activity` shows these samples over time."
takes = ["first_day", "last_day"]

[columns]
host = { type = "VARCHAR", doc = "host" }
from_at = { type = "TIMESTAMP", doc = "start of the host's first sample in the period, UTC" }
to_at = { type = "TIMESTAMP", doc = "end of the host's last sample in the period, UTC" }
n_host_samples = { type = "BIGINT", doc = "number of samples of the host's total load: CPUs, and all disks together" }
n_disk_samples = { type = "BIGINT", doc = "number of samples of single disks" }
n_network_samples = { type = "BIGINT", doc = "number of samples of network ports and bonded interfaces. Where a tool shows no single port, samples of the total over all interfaces count" }
*/
SELECT host, min(from_at) AS from_at, max(to_at) AS to_at, CAST(sum(n_host_samples) AS BIGINT) AS n_host_samples,
       CAST(sum(n_disk_samples) AS BIGINT) AS n_disk_samples, CAST(sum(n_network_samples) AS BIGINT) AS n_network_samples
FROM gold.host_hour
WHERE day BETWEEN $first_day AND $last_day
GROUP BY host
ORDER BY host
