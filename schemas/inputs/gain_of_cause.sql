/*
title = "Gain from fixing a cause of lost time"
why = "Shows how much data a finding costs. For a drive: the gain if the finding's cause were fixed (gold.lost_time). For a station: its part of each drive's gain, summed over drives (gold.station_loss)."
takes = ["first_day", "last_day"]

[params.who]
type = "VARCHAR"
doc = "kind of the finding's entity: drive or station"

[params.name]
type = "VARCHAR"
doc = "name of the drive or station. Where no log shows for which station a drive worked, the drive's name replaces the station's"

[params.cause]
type = "VARCHAR"
doc = "cause of lost time, as in gold.lost_time"

[columns]
gain_gb = { type = "DOUBLE", unit = "GB", doc = "gain, capped on each day by the next bottleneck and summed over the days of the period; NULL where it cannot be computed" }
naive_gb = { type = "DOUBLE", unit = "GB", doc = "extra data that would move if the cause were fixed and nothing else limited the drives, summed over the days of the period" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "recoverable hours lost to the cause, summed over the days of the period" }
bottleneck = { type = "VARCHAR", doc = "next bottleneck on the day with the largest gain" }
n_rows = { type = "BIGINT", doc = "number of rows that gold.lost_time has for the period, over all drives and causes; 0 if no drive log covers the period" }
*/
WITH lost AS (
    SELECT day, drive, cause = $cause AND drive = $name AS is_own, gain_gb_day, naive_gb_day, lost_hours, bottleneck
    FROM gold.lost_time WHERE $who <> 'station' AND day BETWEEN $first_day AND $last_day
    UNION ALL
    SELECT day, drive, cause = $cause AND coalesce(station, drive) = $name, gain_gb_day, naive_gb_day, lost_hours, bottleneck
    FROM gold.station_loss WHERE $who = 'station' AND day BETWEEN $first_day AND $last_day
)
SELECT sum(gain_gb_day) FILTER (is_own) AS gain_gb, sum(naive_gb_day) FILTER (is_own) AS naive_gb,
       sum(lost_hours) FILTER (is_own) AS lost_hours,
       first(bottleneck ORDER BY gain_gb_day DESC NULLS LAST, day, drive) FILTER (is_own) AS bottleneck,
       (SELECT count(*) FROM gold.lost_time WHERE day BETWEEN $first_day AND $last_day) AS n_rows
FROM lost
