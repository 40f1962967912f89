/*
title = "Bytes on each hop between network and tape"
topic = "stations"
why = "Each byte crosses the network, is written to a disk, is read from that disk and is moved by a drive. The bytes on these hops show where data moves twice, and which hop has no log."
takes = ["first_day", "last_day", "station"]

[columns]
station = { type = "VARCHAR", doc = "station" }
hop = { type = "VARCHAR", doc = "hop of the data: network in, tape read, disk write, disk read, tape write or network out. Rows follow the path of a byte that is migrated from tape to tape" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data that passed the hop in the period. Only the part of a file that moved within the period counts. NULL where no log shows the hop" }
of_tape = { type = "DOUBLE", unit = "1", doc = "moved_gb / (data that drives read from tape for the station + data that they wrote to tape for it). In a migration, which reads and writes each byte once, disk write and disk read each have the value 0.5. NULL without tape traffic" }
active_hours = { type = "DOUBLE", unit = "h", doc = "hours in which data passed the hop, summed over the hop's drives or links. For tape: hours in which drives moved files. For network and disks: hours with an average rate of at least 1 MB/s" }
active_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "moved_gb / active_hours: mean rate of one drive, of one link, or of all disks of the station together" }
*/
WITH bound AS (
    SELECT day_begin($first_day, zone) AS begin_at, day_end($last_day, zone) AS end_at
    FROM site.setting
),
hop AS (
    SELECT station, CASE direction WHEN 'in' THEN 'network in' ELSE 'network out' END AS hop, avg_mb_s * covered_s AS mb,
           CASE WHEN avg_mb_s >= 1 THEN covered_s / 3600 ELSE 0 END AS hours
    FROM gold.link_load WHERE day BETWEEN $first_day AND $last_day AND station IS NOT NULL
    UNION ALL
    SELECT host, unnest(['disk write', 'disk read']), unnest([write_mb_s, read_mb_s]) * covered_s,
           CASE WHEN unnest([write_mb_s, read_mb_s]) >= 1 THEN covered_s / 3600 ELSE 0 END
    FROM gold.host_load
    WHERE day BETWEEN $first_day AND $last_day AND host IN (SELECT station FROM site.station)
    UNION ALL
    -- for a file over midnight the share within the period, as for links and disks
    SELECT t.station, 'tape ' || t.mode,
           t.bytes / 1e6 * CASE WHEN t.ended_at > t.started_at
                                THEN date_diff('microsecond', greatest(t.started_at, b.begin_at), least(t.ended_at, b.end_at))
                                     / date_diff('microsecond', t.started_at, t.ended_at) ELSE 1 END,
           date_diff('microsecond', greatest(t.started_at, b.begin_at), least(t.ended_at, b.end_at)) / 3.6e9
    FROM silver.transfer t CROSS JOIN bound b
    WHERE t.status = 'ok' AND t.station IS NOT NULL AND t.bytes > 0 AND t.started_at < b.end_at
      AND (t.ended_at > b.begin_at OR t.started_at >= b.begin_at)
      AND span_near_days(t.started_at, t.ended_at, $first_day, $last_day)
),
moved AS (
    SELECT station, hop, sum(mb) / 1e3 AS gb, sum(hours) AS hours FROM hop
    WHERE $station IN ('', station) GROUP BY station, hop
),
every_hop AS (
    SELECT s.station, h.hop, h.place
    FROM (SELECT DISTINCT station FROM moved) s
    CROSS JOIN (SELECT unnest(['network in', 'tape read', 'disk write', 'disk read', 'tape write', 'network out']) AS hop,
                       unnest(range(6)) AS place) h
)
SELECT e.station, e.hop, m.gb AS moved_gb,
       m.gb / nullif(sum(m.gb) FILTER (starts_with(e.hop, 'tape')) OVER (PARTITION BY e.station), 0) AS of_tape,
       m.hours AS active_hours, m.gb * 1e3 / nullif(m.hours * 3600, 0) AS active_mb_s
FROM every_hop e LEFT JOIN moved m ON m.station = e.station AND m.hop = e.hop
ORDER BY e.station, e.place
