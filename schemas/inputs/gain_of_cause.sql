/*
title = "What a cause of lost time would gain"
why = "What prices a finding: the gain of gold.lost_time, of one drive or, as gold.station_loss shares it out, one station, and one cause."
takes = ["first_day", "last_day"]

[params.who]
type = "VARCHAR"
doc = "which column names it: drive or station"

[params.name]
type = "VARCHAR"
doc = "the drive or station; of what no log tells the station of, the drive"

[params.cause]
type = "VARCHAR"
doc = "cause in gold.lost_time"

[columns]
gain_gb = { type = "DOUBLE", unit = "GB", doc = "of all these days, capped by the next bottleneck; NULL where nothing is priced" }
naive_gb = { type = "DOUBLE", unit = "GB", doc = "the same if nothing else limited" }
bottleneck = { type = "VARCHAR", doc = "what comes next in the way of its dearest day" }
n_rows = { type = "BIGINT", doc = "rows of all drives and causes: 0 where no log of drives tells of these days" }
*/
WITH lost AS (
    SELECT day, drive, cause = $cause AND drive = $name AS is_own, gain_gb_day, naive_gb_day, bottleneck
    FROM gold.lost_time WHERE $who <> 'station' AND day BETWEEN $first_day AND $last_day
    UNION ALL
    SELECT day, drive, cause = $cause AND coalesce(station, drive) = $name, gain_gb_day, naive_gb_day, bottleneck
    FROM gold.station_loss WHERE $who = 'station' AND day BETWEEN $first_day AND $last_day
)
SELECT sum(gain_gb_day) FILTER (is_own) AS gain_gb, sum(naive_gb_day) FILTER (is_own) AS naive_gb,
       first(bottleneck ORDER BY gain_gb_day DESC NULLS LAST, day, drive) FILTER (is_own) AS bottleneck,
       (SELECT count(*) FROM gold.lost_time WHERE day BETWEEN $first_day AND $last_day) AS n_rows
FROM lost
