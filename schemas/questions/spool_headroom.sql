/*
title = "How long spools can absorb data"
topic = "stations"
why = "Shows how long each station's empty spool takes to fill in two cases. First, nothing goes out, and data come in at the rate in_active_mb_s. Second, data come in and go out at the average rates of the period."
takes = ["first_day", "last_day"]

[columns]
station = { type = "VARCHAR", doc = "name of the station. A station has a row only if site.toml has its spool size (spool_gb) and its traffic in both directions is known" }
spool_gb = { type = "DOUBLE", unit = "GB", doc = "size of the spool" }
in_active_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate into the station over active half-hours: those in which this rate exceeds duty_threshold_mb_s in site.toml. NULL without such half-hours" }
net_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate into the station minus average rate out of the station; negative if more data goes out than comes in. Only half-hours that the logs of the station's links cover are used" }
outage_hours = { type = "DOUBLE", unit = "h", doc = "time in which an empty spool fills at in_active_mb_s if nothing goes out; NULL where in_active_mb_s is NULL" }
fill_hours = { type = "DOUBLE", unit = "h", doc = "time in which an empty spool fills at net_mb_s; NULL where it does not fill" }
*/
WITH flow AS (
    -- data is known of the half-hours that logs cover
    SELECT b.station,
           sum(b.in_gb) * 1e3 / sum(i.n_bins * 1800) - sum(b.out_gb) * 1e3 / sum(o.n_bins * 1800) AS net_mb_s,
           -- days count by their active half-hours, not by their shares of them: a day may be covered for an hour only
           sum(b.in_duty * i.n_bins * b.in_active_mb_s) / nullif(sum(b.in_duty * i.n_bins), 0) AS in_active_mb_s
    FROM gold.mass_balance b
    JOIN gold.duty_factor i ON i.day = b.day AND i.station = b.station AND i.direction = 'in'
    JOIN gold.duty_factor o ON o.day = b.day AND o.station = b.station AND o.direction = 'out'
    WHERE b.day BETWEEN $first_day AND $last_day GROUP BY b.station
)
SELECT s.station, s.spool_gb, r.in_active_mb_s, r.net_mb_s,
       s.spool_gb * 1e3 / nullif(r.in_active_mb_s, 0) / 3600 AS outage_hours,
       CASE WHEN r.net_mb_s > 0 THEN s.spool_gb * 1e3 / r.net_mb_s / 3600 END AS fill_hours
FROM site.station s JOIN flow r ON r.station = s.station
WHERE s.spool_gb IS NOT NULL
ORDER BY outage_hours, s.station
