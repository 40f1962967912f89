/*
title = "Long gaps with and without the next file on the spool"
topic = "gaps"
why = "Shows the gaps before files that were written to tape. If the next file was already on the spool, a long gap usually comes from the exchange of messages; if not, the drive had no data to write. The two causes have different remedies."
takes = ["first_day", "last_day"]

[params.longer_than_s]
type = "DOUBLE"
default = "7"
doc = "a station is listed only if more than 5 % of its gaps before written files are longer than this. Time in which the drive had no request is subtracted from each gap"

[params.drive]
type = "VARCHAR"
default = ""
doc = "only this drive; default: all drives"

[columns]
station = { type = "VARCHAR", doc = "station for which the file after each gap was moved" }
n_gaps = { type = "BIGINT", doc = "number of gaps before a file that was written to tape" }
p50_s = { type = "DOUBLE", unit = "s", doc = "median length of the gaps, less the time in which the drive had no request" }
p95_s = { type = "DOUBLE", unit = "s", doc = "95th percentile of the gap lengths, less the time in which the drive had no request" }
ready_share = { type = "DOUBLE", unit = "1", doc = "share of gaps in which the next file was already on the spool when the gap started. Where no log shows when a file was on the spool, it counts as ready in two cases: its request was already queued, or one client command wrote both this file and the previous one" }
metadata_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours of gaps whose next file was already on the spool when the gap started, less the time without a request" }
starved_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours of gaps whose next file was not yet on the spool when the gap started, less the time without a request. Gaps count too if no log shows whether the file was there" }
*/
WITH gap AS (
    SELECT g.station, g.is_next_ready AS is_ready, g.gap_s - g.no_request_s AS dead_s
    FROM silver.gap g CROSS JOIN site.setting c
    WHERE g.is_next_ready IS NOT NULL AND near_days(g.day, $first_day, $last_day)
      AND in_days(g.started_at, $first_day, $last_day, c.zone) AND $drive IN ('', g.drive)
)
SELECT station, count(*) AS n_gaps, median(dead_s) AS p50_s, quantile_cont(dead_s, 0.95) AS p95_s,
       count(*) FILTER (is_ready) / count(*) AS ready_share,
       coalesce(sum(dead_s) FILTER (is_ready), 0) / 3600 AS metadata_hours,
       coalesce(sum(dead_s) FILTER (NOT is_ready), 0) / 3600 AS starved_hours
FROM gap
GROUP BY station
HAVING quantile_cont(dead_s, 0.95) > $longer_than_s
ORDER BY metadata_hours DESC, station
