/*
title = "Do the clocks agree?"
topic = "operations"
why = "Logs of two hosts may be laid side by side only as closely as their clocks agree. Nothing is shifted; this says by how much it would have to be, and what cannot be seen."

[params.last_day]
type = "DATE"
doc = "site day as of which is told; the last day with data if left out"

[columns]
station = { type = "VARCHAR", doc = "station whose clock it is" }
system = { type = "VARCHAR", doc = "archive system whose movers' log it is compared with" }
tool = { type = "VARCHAR", doc = "program that watched the station; NULL where none did" }
watched = { type = "VARCHAR", doc = "network, disk, or link (the switch's counters)" }
direction = { type = "VARCHAR", doc = "in (read from tape for the station), out (written to tape), or both together" }
n_transfers = { type = "BIGINT", doc = "transfers in the time that was watched" }
sample_s = { type = "DOUBLE", unit = "s", doc = "length of a sample" }
skew_s = { type = "DOUBLE", unit = "s", doc = "the station's clock less that of the movers' log; NULL where it cannot be told" }
skew_s_low = { type = "DOUBLE", unit = "s", doc = "low end of its 90 % interval" }
skew_s_high = { type = "DOUBLE", unit = "s", doc = "high end" }
blind_below_s = { type = "DOUBLE", unit = "s", doc = "differences below this cannot be seen" }
says = { type = "VARCHAR", doc = "the same in words" }
first_day = { type = "DATE", doc = "first site day that was looked at" }
day = { type = "DATE", doc = "last one: the newest that was judged by then" }
*/
SELECT station, system, tool, watched, direction, n_transfers, sample_s, skew_s, skew_s_low, skew_s_high, blind_below_s,
       CASE
           WHEN skew_s IS NULL THEN 'cannot estimate: ' || reason_missing
           WHEN abs(skew_s) < blind_below_s OR skew_s_low <= 0 AND skew_s_high >= 0
               THEN format('agrees, or is off by less than {:g} s',
                           greatest(blind_below_s, abs(skew_s_low), abs(skew_s_high)))
           ELSE format('{:g} s {} the movers'' log', abs(skew_s), CASE WHEN skew_s > 0 THEN 'before' ELSE 'behind' END)
       END AS says,
       first_day, day
FROM gold.clock_alignment
WHERE day = (SELECT max(day) FROM gold.clock_alignment WHERE day <= $last_day)
ORDER BY station, system, CASE watched WHEN 'network' THEN 1 WHEN 'disk' THEN 2 WHEN 'link' THEN 3 END, blind_below_s,
         tool, direction
