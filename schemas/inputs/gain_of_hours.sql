/*
title = "Data that drives would move in recovered hours"
why = "Shows how much data a finding costs if its lost hours have more than one cause. In the recovered hours, the drives would move data at the rate rate_mb_s. The next bottleneck and the waiting requests limit how much they would move."
takes = ["first_day", "last_day"]

[params.who]
type = "VARCHAR"
doc = "kind of the finding's entity: drive, station or volume"

[params.name]
type = "VARCHAR"
doc = "name of the drive, station or volume. Where no log shows for which station a drive worked, the drive's name replaces the station's"

[columns]
rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "mean of rate_mb_s in gold.lost_time (data moved / busy hours), over the finding's drives and the days of the period. A station's drives are those in gold.station_loss on the day; a volume's drives are those in which it was mounted that day. NULL where no drive log shows a rate" }
room_gb = { type = "DOUBLE", unit = "GB", doc = "upper limit of the extra data that the finding's drives could have moved, summed over the days of the period. NULL if the limit of any of these drives is unknown on any of the days" }
bottleneck = { type = "VARCHAR", doc = "next bottleneck of the finding's drives, taken from the first day in the period that has a known one" }
*/
SELECT avg(rate_mb_s) AS rate_mb_s,
       -- without a known limit on each day and drive, no upper limit of the sum is known
       CASE WHEN bool_and(coalesce(room_gb, asked_gb) IS NOT NULL) THEN sum(least(room_gb, asked_gb)) END AS room_gb,
       any_value(CASE WHEN asked_gb < coalesce(room_gb, asked_gb + 1) THEN 'work' ELSE bottleneck END ORDER BY day)
           AS bottleneck
FROM (
    SELECT day, drive, any_value(rate_mb_s) AS rate_mb_s,
           any_value(bottleneck ORDER BY cause) FILTER (bottleneck <> 'work') AS bottleneck,
           any_value((supply_mb_s - rate_mb_s) * busy_hours * 3.6e0) AS room_gb, any_value(asked_gb) AS asked_gb
    FROM gold.lost_time
    WHERE day BETWEEN $first_day AND $last_day
      AND CASE $who WHEN 'drive' THEN drive = $name
                    WHEN 'station' THEN (day, drive) IN (SELECT (day, drive) FROM gold.station_loss WHERE coalesce(station, drive) = $name)
                    WHEN 'volume' THEN (day, drive) IN (SELECT (site_day, drive) FROM gold.mount WHERE volume = $name) END
    GROUP BY day, drive
)
