/*
title = "Holes in the logs of drives"
was = "log_hole"
grain = "one row per pause in a drive log that is longer than log_silence_s"
why = "What happened in a hole is unknown, so no state, transfer or gap may span it."
partition = "month"

[columns]
day = { type = "DATE", doc = "UTC day of from_at" }
host = { type = "VARCHAR", was = "system", doc = "drive, tape server or archive system that the log covers" }
from_at = { type = "TIMESTAMP", doc = "last line before" }
to_at = { type = "TIMESTAMP", doc = "first line after" }
*/
WITH following AS (
    SELECT host, to_at AS from_at,
           lead(from_at) OVER (PARTITION BY host ORDER BY from_at, to_at) AS to_at
    FROM silver.log_coverage
    WHERE speaks_for = 'drives'
)
SELECT CAST(from_at AS DATE) AS day, host, from_at, to_at
FROM following
WHERE to_at > from_at
