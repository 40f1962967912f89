/*
title = "Traffic of a station's network, disks and links"
why = "Input for the estimate of a station's clock: rates by its own clock, or by that of the switch. Data from tape comes into the station and is written to its disks; data to tape takes the reverse way."

[params.station]
type = "VARCHAR"
doc = "station"

[params.begin]
type = "TIMESTAMP"
doc = "first instant, UTC"

[params.end]
type = "TIMESTAMP"
doc = "instant after the last, UTC"

[columns]
watched = { type = "VARCHAR", doc = "network, disk or link" }
tool = { type = "VARCHAR", doc = "program that took the samples; switch for links" }
at_s = { type = "DOUBLE", unit = "s", doc = "start of the sample, since 1970" }
step_s = { type = "DOUBLE", unit = "s", doc = "its length" }
in_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "into the station, for all its interfaces or links, or written to its disks" }
out_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "out of the station, or read from its disks" }
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
