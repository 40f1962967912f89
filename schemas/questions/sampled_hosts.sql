/*
title = "Hosts with samples of CPUs, disks and network"
topic = "host"
why = "Shows for which hosts the logs contain samples of load, and whether CPUs, disks or network were sampled. The question `host_activity` shows these samples over time."
takes = ["first_day", "last_day"]

[columns]
host = { type = "VARCHAR", doc = "host" }
from_at = { type = "TIMESTAMP", doc = "start of the host's first sample in the period, UTC" }
to_at = { type = "TIMESTAMP", doc = "end of the host's last sample in the period, UTC" }
n_host_samples = { type = "BIGINT", doc = "number of samples of the host's total load: CPUs, memory, and all disks together" }
n_disk_samples = { type = "BIGINT", doc = "number of samples of single disks" }
n_network_samples = { type = "BIGINT", doc = "number of samples of single network ports and bonded interfaces" }
*/
WITH sample AS (
    SELECT s.host, s.from_at, s.to_at, 'host' AS kind FROM silver.host_sample s
    WHERE near_days(s.day, $first_day, $last_day) AND s.to_at > s.from_at
    UNION ALL
    SELECT s.host, s.from_at, s.to_at, 'disk' FROM silver.device_sample s
    WHERE near_days(s.day, $first_day, $last_day) AND s.to_at > s.from_at AND s.is_summed
    UNION ALL
    SELECT s.host, s.from_at, s.to_at, 'network' FROM silver.network_sample s
    WHERE near_days(s.day, $first_day, $last_day) AND s.to_at > s.from_at AND (s.is_summed OR s.kind = 'bond')
)
SELECT s.host, min(s.from_at) AS from_at, max(s.to_at) AS to_at,
       count(*) FILTER (s.kind = 'host') AS n_host_samples,
       count(*) FILTER (s.kind = 'disk') AS n_disk_samples, count(*) FILTER (s.kind = 'network') AS n_network_samples
FROM sample s CROSS JOIN site.setting c
WHERE in_days(s.from_at, $first_day, $last_day, c.zone)
GROUP BY s.host
ORDER BY s.host
