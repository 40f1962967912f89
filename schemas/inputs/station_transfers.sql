/*
title = "Transfers of stations in the movers' log"
why = "Reference for the clocks of stations: when bytes must have passed, by the clock of the movers' log."

[params.begin]
type = "TIMESTAMP"
doc = "first instant, UTC"

[params.end]
type = "TIMESTAMP"
doc = "instant after the last, UTC"

[columns]
station = { type = "VARCHAR", doc = "station" }
system = { type = "VARCHAR", doc = "archive system" }
mode = { type = "VARCHAR", doc = "read or write" }
begin_s = { type = "DOUBLE", unit = "s", doc = "first block, since 1970" }
end_s = { type = "DOUBLE", unit = "s", doc = "last block, since 1970" }
bytes = { type = "BIGINT", unit = "bytes", doc = "moved" }
*/
SELECT t.station, t.system, t.mode, epoch(t.started_at) AS begin_s, epoch(t.ended_at) AS end_s, t.bytes
FROM silver.transfer t SEMI JOIN site.station s ON s.station = t.station
WHERE t.status = 'ok' AND t.day BETWEEN CAST($begin AS DATE) AND CAST($end AS DATE)
  AND t.started_at >= $begin AND t.started_at < $end
  AND t.witnesses LIKE '%mover%' AND t.ended_at > t.started_at AND t.mode IN ('read', 'write')
ORDER BY t.station, t.system, t.started_at, t.transfer_id
