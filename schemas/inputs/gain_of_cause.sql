/*
title = "Gain from fixing a cause of lost time"
why = "The price of a finding: the gain in gold.lost_time for one cause and one drive, or for one station with its part of the drives' gains (gold.station_loss)."
takes = ["first_day", "last_day"]

[params.who]
type = "VARCHAR"
doc = "column that names the entity of the finding: drive or station"

[params.name]
type = "VARCHAR"
doc = "name of the drive or station; the drive's name where no log shows its station"

[params.cause]
type = "VARCHAR"
doc = "cause of lost time, as in gold.lost_time"

[columns]
gain_gb = { type = "DOUBLE", unit = "GB", doc = "gain on all these days, capped by the next bottleneck; NULL without a price" }
naive_gb = { type = "DOUBLE", unit = "GB", doc = "gain on all these days if nothing else limited the drives" }
bottleneck = { type = "VARCHAR", doc = "next bottleneck on the day with the largest loss" }
n_rows = { type = "BIGINT", doc = "rows of gold.lost_time for these days, of all drives and causes; 0 where no drive log covers the days" }
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
