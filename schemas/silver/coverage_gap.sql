/*
title = "Holes in the logs of drives"
was = "log_hole"
grain = "one row per hole in the logs about a drive, tape server or archive system: a pause between two lines that is longer than log_silence_s in site.toml"
why = "What a drive did during a hole in its log is unknown. Therefore, no transfer or gap from a mover's log extends over a hole, and neither does a state between two logged steps."
partition = "month"

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
host = { type = "VARCHAR", was = "system", doc = "drive, tape server or archive system whose log has the hole" }
from_at = { type = "TIMESTAMP", doc = "time of the last line before the hole" }
to_at = { type = "TIMESTAMP", doc = "time of the first line after the hole" }
*/
WITH following AS (
    SELECT host, max(to_at) OVER sofar AS from_at, lead(from_at) OVER sofar AS to_at
    FROM silver.log_coverage
    WHERE speaks_for = 'drives'
    WINDOW sofar AS (PARTITION BY host ORDER BY from_at, to_at)
)
SELECT CAST(from_at AS DATE) AS day, host, from_at, to_at
FROM following
WHERE to_at > from_at
