/*
title = "Traffic of network interfaces of hosts and switches"
grain = "one row per host, tool, interface and sampled interval"
why = "Shows the traffic of each network interface, as the owner of the interface counted it. A host's own samples are often finer than those of the switch."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
host = { type = "VARCHAR", doc = "host or switch that has the interface, named as in site.toml if declared there" }
tool = { type = "VARCHAR", doc = "program or file format from which the sample comes, e.g. nicstat. For rrdtool, the name of the metric follows" }
interface = { type = "VARCHAR", doc = "interface, as the tool names it; `all` where the tool gives only the sum over all interfaces" }
description = { type = "VARCHAR", doc = "description of the port (ifAlias); NULL where the tool has no description" }
kind = { type = "VARCHAR", doc = "kind of interface: port, bond, bridge, vlan, virtual, loopback or all. The bytes of bond, bridge, vlan and virtual are also counted for a port. The kind `all` is the tool's own total" }
is_summed = { type = "BOOLEAN", doc = "true if the interface counts in the total of its host. Ports count; `all` counts only where the tool shows no port" }
from_at = { type = "TIMESTAMP", doc = "start of the sample" }
to_at = { type = "TIMESTAMP", doc = "end of the sample" }
in_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "bytes per second that the host (or switch) received" }
out_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "bytes per second that the host (or switch) sent" }
in_packet_rate = { type = "DOUBLE", unit = "1/s", doc = "packets received per second" }
out_packet_rate = { type = "DOUBLE", unit = "1/s", doc = "packets sent per second" }
busy = { type = "DOUBLE", unit = "1", doc = "share of the interface's speed that is in use; NULL where the tool does not show it" }
capacity_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "speed of the interface; NULL where the tool does not sample it" }
file_id = { type = "VARCHAR", doc = "first of the files from which the row was made" }
line_no = { type = "BIGINT", doc = "number of the row's first line in file_id" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "in_bytes_s"
min_value = 0
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "out_bytes_s"
min_value = 0
severity = "critical"
*/
WITH named AS (
    SELECT n.* EXCLUDE (host, tool), coalesce(a.station, n.host) AS host,
           -- one file per series and interface
           CASE WHEN starts_with(n.tool, 'collectd_csv ') THEN 'collectd_csv' ELSE n.tool END AS tool
    FROM bronze.network_sample n
    LEFT JOIN site.station_alias a ON a.alias = short_host(n.host)
),
merged AS (
    -- a tool may give an interface's traffic and its share of use in lines of their own: the first of each is taken
    SELECT host, tool, interface, description, kind, from_at, to_at, file_id, line_no,
           first_value(in_bytes_s IGNORE NULLS) OVER w AS in_bytes_s,
           first_value(out_bytes_s IGNORE NULLS) OVER w AS out_bytes_s,
           first_value(in_packet_rate IGNORE NULLS) OVER w AS in_packet_rate,
           first_value(out_packet_rate IGNORE NULLS) OVER w AS out_packet_rate,
           first_value(busy IGNORE NULLS) OVER w AS busy,
           first_value(capacity_bytes_s IGNORE NULLS) OVER w AS capacity_bytes_s
    FROM named
    WINDOW w AS (
        PARTITION BY host, tool, interface, from_at, to_at ORDER BY file_id, line_no
        ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    )
    QUALIFY row_number() OVER (PARTITION BY host, tool, interface, from_at, to_at ORDER BY file_id, line_no) = 1
)
SELECT CAST(from_at AS DATE) AS day, host, tool, interface, description, kind,
       kind = 'port' OR (
           kind = 'all' AND NOT bool_or(kind = 'port') OVER (PARTITION BY host, tool, from_at, to_at)
       ) AS is_summed,
       from_at, to_at, in_bytes_s, out_bytes_s, in_packet_rate, out_packet_rate, busy, capacity_bytes_s, file_id, line_no
FROM merged
