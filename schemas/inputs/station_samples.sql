/*
title = "Traffic of a station's network ports, disks and links"
why = "Lists a station's traffic, to estimate the error of the clock that gave the time stamps. Samples taken on the station have the station's clock. Samples of links have the clock of the host that polls the links. Reads from tape enter the station and go to its disks; writes to tape go the other way."

[params.station]
type = "VARCHAR"
doc = "station"

[params.begin]
type = "TIMESTAMP"
doc = "start of the period, UTC"

[params.end]
type = "TIMESTAMP"
doc = "end of the period, exclusive, UTC"

[columns]
watched = { type = "VARCHAR", doc = "what the sample measures: network, disk or link" }
tool = { type = "VARCHAR", doc = "program that took the samples; `switch` for links" }
at_s = { type = "DOUBLE", unit = "s", doc = "start of the sample, in seconds since 1970" }
step_s = { type = "DOUBLE", unit = "s", doc = "duration of the sample" }
in_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "rate into the station over all its interfaces or links, or rate of writes to its disks" }
out_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "rate out of the station over all its interfaces or links, or rate of reads from its disks" }
*/
WITH passed AS (
    SELECT 'network' AS watched, tool, from_at, to_at, sum(in_bytes_s) AS in_bytes_s, sum(out_bytes_s) AS out_bytes_s
    FROM silver.network_sample
    WHERE host = $station AND is_summed AND day BETWEEN CAST($begin AS DATE) AND CAST($end AS DATE)
    GROUP BY tool, from_at, to_at
    UNION ALL
    SELECT 'disk', tool, from_at, to_at, write_bytes_s, read_bytes_s
    FROM silver.host_sample
    WHERE host = $station AND day BETWEEN CAST($begin AS DATE) AND CAST($end AS DATE)
    UNION ALL
    SELECT 'link', 'switch', from_at, to_at, sum(avg_bytes_s) FILTER (direction = 'in'),
           sum(avg_bytes_s) FILTER (direction = 'out')
    FROM silver.link_sample
    WHERE station = $station AND day BETWEEN CAST($begin AS DATE) AND CAST($end AS DATE)
    GROUP BY from_at, to_at
)
SELECT watched, tool, epoch(from_at) AS at_s, epoch(to_at) - epoch(from_at) AS step_s, in_bytes_s, out_bytes_s
FROM passed
WHERE from_at >= $begin AND from_at < $end AND to_at > from_at AND in_bytes_s IS NOT NULL AND out_bytes_s IS NOT NULL
ORDER BY watched, tool, at_s
