/*
title = "Transfers to and from stations, as the movers logged them"
why = "Shows when bytes went to or from each station, according to the clock of the movers' log. The stations' own clocks are compared with this clock."

[params.begin]
type = "TIMESTAMP"
doc = "start of the period, UTC"

[params.end]
type = "TIMESTAMP"
doc = "end of the period, exclusive, UTC"

[columns]
station = { type = "VARCHAR", doc = "station" }
system = { type = "VARCHAR", doc = "archive system" }
mode = { type = "VARCHAR", doc = "read or write" }
begin_s = { type = "DOUBLE", unit = "s", doc = "time of the first block, in seconds since 1970" }
end_s = { type = "DOUBLE", unit = "s", doc = "time of the last block, in seconds since 1970" }
bytes = { type = "BIGINT", unit = "bytes", doc = "bytes moved" }
*/
SELECT t.station, t.system, t.mode, epoch(t.started_at) AS begin_s, epoch(t.ended_at) AS end_s, t.bytes
FROM silver.transfer t SEMI JOIN site.station s ON s.station = t.station
WHERE t.status = 'ok' AND t.day BETWEEN CAST($begin AS DATE) AND CAST($end AS DATE)
  AND t.started_at >= $begin AND t.started_at < $end
  AND t.witnesses LIKE '%mover%' AND t.ended_at > t.started_at AND t.mode IN ('read', 'write')
ORDER BY t.station, t.system, t.started_at, t.transfer_id
