/*
title = "Lost drive time, ranked by gain"
topic = "hours"
why = "Shows what to fix first: the causes of lost time by station, with the drive-hours that can be recovered and the extra data that would move. Gains are limited by the next bottleneck. Do not add the gains of different causes."
takes = ["first_day", "last_day"]

[columns]
cause = { type = "VARCHAR", doc = "cause of the lost time, named as in gold.lost_time" }
station = { type = "VARCHAR", doc = "station for which the drives moved most of their bytes on the day of the loss; NULL where they moved no data that day, and where no log shows the station" }
part = { type = "VARCHAR", doc = "for the cause long_gap: the part of the gaps (database, request or start) that took most of the time on the most expensive drive. NULL for other causes" }
n_drives = { type = "BIGINT", doc = "number of drives that lost the time" }
drives = { type = "VARCHAR", doc = "names of the drives that lost the time, the most expensive first" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "upper limit of the drive-hours that can be recovered" }
naive_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "extra data per day if the cause were fixed and nothing else limited the drives. The average is over the days on which logs cover at least a tenth of some drive's day, or over all days if there are no such days" }
gain_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "extra data per day if the cause were fixed, limited by each drive's next bottleneck and averaged over the same days as naive_gb_day" }
bottleneck = { type = "VARCHAR", doc = "what would limit the most expensive drive next if the cause were fixed" }
*/
WITH per_drive AS (
    SELECT cause, station, drive, first(part ORDER BY gain_gb_day DESC NULLS LAST, day) AS part, sum(lost_hours) AS lost_hours,
           sum(naive_gb_day) AS naive_gb, sum(gain_gb_day) AS gain_gb,
           first(bottleneck ORDER BY gain_gb_day DESC NULLS LAST, day) AS bottleneck
    FROM gold.lost_time
    WHERE day BETWEEN $first_day AND $last_day AND lost_hours > 0
    GROUP BY cause, station, drive
),
logged AS (
    -- the days that the price of a finding is spread over (inputs/logged_drive_days.sql); where no drive log shows any, all
    SELECT coalesce(nullif(count(DISTINCT day), 0), date_diff('day', CAST($first_day AS DATE), CAST($last_day AS DATE)) + 1) AS n_days
    FROM gold.drive_day WHERE day BETWEEN $first_day AND $last_day AND 10 * covered_us >= day_us
)
SELECT cause, station, first(part ORDER BY gain_gb DESC NULLS LAST, drive) AS part, count(*) AS n_drives,
       string_agg(drive, ', ' ORDER BY gain_gb DESC NULLS LAST, drive) AS drives, sum(lost_hours) AS lost_hours,
       sum(naive_gb) / any_value(l.n_days) AS naive_gb_day,
       sum(gain_gb) / any_value(l.n_days) AS gain_gb_day,
       first(bottleneck ORDER BY gain_gb DESC NULLS LAST, drive) AS bottleneck
FROM per_drive CROSS JOIN logged l
GROUP BY cause, station
ORDER BY gain_gb_day DESC NULLS LAST, cause, station
