/*
title = "Traffic of links, from counters of their ports"
grain = "one row per link, side (switch or host), tool and interval. An interval ends at the next sample of any port on this side, or at a UTC half-hour"
why = "Prometheus, snmp_exporter, Telegraf, collectd and sar count many interfaces. For each link in site.toml, the traffic of all its ports is added up, with in and out from the station's view. Intervals in which a port was not sampled, or its counter restarted, have no row."
partition = "month"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
link = { type = "VARCHAR", doc = "link declared in site.toml" }
polled = { type = "VARCHAR", doc = "side of the link whose ports were counted: switch or host, as in site.link_port" }
tool = { type = "VARCHAR", doc = "program or file format from which the samples come, e.g. sar or telegraf" }
from_at = { type = "TIMESTAMP", doc = "start" }
to_at = { type = "TIMESTAMP", doc = "end of the interval; at the latest the end of the UTC half-hour" }
in_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "traffic towards the station, summed over all ports of this side; NULL where the traffic of a port is not known" }
out_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "traffic away from the station, summed over all ports of this side; NULL where the traffic of a port is not known" }
file_id = { type = "VARCHAR", doc = "first of the files from which the row was made" }
line_no = { type = "BIGINT", doc = "number of the line in file_id from which the row was made" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["link", "polled", "tool", "from_at"]
severity = "critical"
*/
WITH counted AS (
    SELECT p.link, p.polled, p.n_ports, n.* FROM site.link_port p
    JOIN silver.network_sample n ON n.host = p.host AND n.interface = p.interface
    UNION ALL
    SELECT p.link, p.polled, p.n_ports, n.* FROM site.link_port p
    JOIN silver.network_sample n ON n.description = p.description AND n.host = coalesce(p.host, n.host)
),
cut AS (
    SELECT link, polled, n_ports, tool, concat_ws('/', host, interface) AS port, from_at, to_at, in_bytes_s, out_bytes_s,
           file_id, line_no, date_diff('microsecond', from_at, to_at) AS row_us,
           unnest(range(time_bucket(INTERVAL 1800 SECOND, from_at), to_at, INTERVAL 1800 SECOND)) AS bin_at
    FROM counted
    WHERE to_at > from_at AND coalesce(in_bytes_s, out_bytes_s) IS NOT NULL
),
clipped AS (
    SELECT * EXCLUDE (from_at, to_at), greatest(from_at, bin_at) AS from_at,
           least(to_at, bin_at + INTERVAL 1800 SECOND) AS to_at
    FROM cut
),
-- Each port is sampled at its own instants, and two programs of one kind may sample the same port: between two edges,
-- only the finest row of each port counts.
edge AS (
    SELECT link, polled, tool, bin_at, from_at AS edge_at FROM clipped
    UNION SELECT link, polled, tool, bin_at, to_at FROM clipped
),
stretch AS (
    SELECT link, polled, tool, bin_at, edge_at AS from_at,
           lead(edge_at) OVER (PARTITION BY link, polled, tool, bin_at ORDER BY edge_at) AS to_at
    FROM edge
),
finest AS (
    SELECT s.link, s.polled, s.tool, s.from_at, s.to_at, c.port, c.n_ports, c.in_bytes_s, c.out_bytes_s, c.file_id, c.line_no
    FROM stretch s
    JOIN clipped c ON c.link = s.link AND c.polled = s.polled AND c.tool = s.tool AND c.bin_at = s.bin_at
        AND c.from_at <= s.from_at AND c.to_at >= s.to_at
    QUALIFY row_number() OVER (PARTITION BY s.link, s.polled, s.tool, s.from_at, c.port
                               ORDER BY c.row_us, c.file_id, c.line_no) = 1
),
summed AS (
    SELECT link, polled, tool, from_at, to_at, min(file_id) AS file_id, arg_min(line_no, file_id) AS line_no,
           CASE WHEN count(in_bytes_s) = any_value(n_ports) THEN sum(in_bytes_s) END AS received,
           CASE WHEN count(out_bytes_s) = any_value(n_ports) THEN sum(out_bytes_s) END AS sent
    FROM finest
    GROUP BY link, polled, tool, from_at, to_at
    HAVING count(*) = any_value(n_ports)
)
SELECT CAST(from_at AS DATE) AS day, link, polled, tool, from_at, to_at,
       CASE polled WHEN 'switch' THEN sent ELSE received END AS in_bytes_s,
       CASE polled WHEN 'switch' THEN received ELSE sent END AS out_bytes_s, file_id, line_no
FROM summed
WHERE coalesce(received, sent) IS NOT NULL
