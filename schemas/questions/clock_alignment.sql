/*
title = "Do the clocks agree?"
topic = "operations"
why = "Logs of two hosts can be compared only as closely as their clocks agree. No data is shifted; this shows the shift that would be needed, and the smallest difference that can be found."

[params.last_day]
type = "DATE"
doc = "report the state as of this site day; default: the last day with data"

[columns]
station = { type = "VARCHAR", doc = "station whose clock it is" }
system = { type = "VARCHAR", doc = "archive system whose movers' log it is compared with" }
tool = { type = "VARCHAR", doc = "program that sampled the station; NULL where no program did" }
watched = { type = "VARCHAR", doc = "network, disk, or link (the switch's counters)" }
direction = { type = "VARCHAR", doc = "in (read from tape for the station), out (written to tape), or both together" }
n_transfers = { type = "BIGINT", doc = "transfers in the time with samples" }
sample_s = { type = "DOUBLE", unit = "s", doc = "length of a sample" }
skew_s = { type = "DOUBLE", unit = "s", doc = "the station's clock minus that of the movers' log; NULL where it cannot be determined" }
skew_s_low = { type = "DOUBLE", unit = "s", doc = "low end of its 90 % interval" }
skew_s_high = { type = "DOUBLE", unit = "s", doc = "high end" }
blind_below_s = { type = "DOUBLE", unit = "s", doc = "smallest difference that can be found" }
summary = { type = "VARCHAR", was = "says", doc = "the result as a sentence" }
first_day = { type = "DATE", doc = "first site day of the period" }
day = { type = "DATE", doc = "last site day of the period; the newest judgement up to this day is shown" }
*/
SELECT station, system, tool, watched, direction, n_transfers, sample_s, skew_s, skew_s_low, skew_s_high, blind_below_s,
       CASE
           WHEN skew_s IS NULL THEN 'cannot estimate: ' || reason_missing
           WHEN abs(skew_s) < blind_below_s OR skew_s_low <= 0 AND skew_s_high >= 0
               THEN format('agrees, or is off by less than {:g} s',
                           greatest(blind_below_s, abs(skew_s_low), abs(skew_s_high)))
           ELSE format('{:g} s {} the movers'' log', abs(skew_s), CASE WHEN skew_s > 0 THEN 'before' ELSE 'behind' END)
       END AS summary,
       first_day, day
FROM gold.clock_alignment
WHERE day = (SELECT max(day) FROM gold.clock_alignment WHERE day <= $last_day)
ORDER BY station, system, CASE watched WHEN 'network' THEN 1 WHEN 'disk' THEN 2 WHEN 'link' THEN 3 END, blind_below_s,
         tool, direction
