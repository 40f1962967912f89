/*
title = "Do the clocks of stations and movers agree?"
topic = "operations"
why = "Logs of two hosts can be compared only as closely as their clocks agree. This shows the difference between the clocks, and the smallest difference that the samples can reveal. tapescope does not correct the times in the data."

[params.last_day]
type = "DATE"
doc = "report the state as of this site day; default: the last day with data"

[columns]
station = { type = "VARCHAR", doc = "station whose clock is compared with the clock of the movers' log" }
system = { type = "VARCHAR", doc = "archive system of the movers' log" }
tool = { type = "VARCHAR", doc = "program that took the samples; `switch` for samples of links. NULL without samples" }
watched = { type = "VARCHAR", doc = "what was sampled: network, disk or link (counters of the switch); NULL without samples" }
direction = { type = "VARCHAR", doc = "traffic that is compared: in (read from tape for the station), out (written to tape) or both (in and out together)" }
n_transfers = { type = "BIGINT", doc = "number of transfers in this direction that the movers' log shows in the time that the samples cover; without samples, number of all transfers" }
sample_s = { type = "DOUBLE", unit = "s", doc = "length of one sample" }
skew_s = { type = "DOUBLE", unit = "s", doc = "the station's clock (for samples of links: the clock of the host that polls them) minus the clock of the movers' log. Positive: that clock is ahead. Buffers between drive and network distort the value. NULL where the difference cannot be determined" }
skew_s_low = { type = "DOUBLE", unit = "s", doc = "low end of the 90 % interval of the clock difference" }
skew_s_high = { type = "DOUBLE", unit = "s", doc = "high end of the 90 % interval of the clock difference" }
blind_below_s = { type = "DOUBLE", unit = "s", doc = "smallest clock difference that samples of this length can show" }
summary = { type = "VARCHAR", was = "says", doc = "the result as a sentence" }
first_day = { type = "DATE", doc = "first site day of the period whose logs were compared" }
day = { type = "DATE", doc = "last site day of the period whose logs were compared: the newest such period that ends on or before last_day" }
*/
SELECT station, system, tool, watched, direction, n_transfers, sample_s, skew_s, skew_s_low, skew_s_high, blind_below_s,
       CASE
           WHEN skew_s IS NULL THEN 'cannot estimate: ' || reason_missing
           WHEN abs(skew_s) < blind_below_s OR skew_s_low <= 0 AND skew_s_high >= 0
               THEN format('the clocks agree, or differ by less than {:g} s',
                           greatest(blind_below_s, abs(skew_s_low), abs(skew_s_high)))
           ELSE format('{} is {:g} s {} the clock of the movers'' log',
                       CASE watched WHEN 'link' THEN 'the clock of the host that polls the links' ELSE 'the station''s clock' END,
                       abs(skew_s),
                       CASE WHEN skew_s > 0 THEN 'ahead of' ELSE 'slow compared with' END)
       END AS summary,
       first_day, day
FROM gold.clock_alignment
WHERE day = (SELECT max(day) FROM gold.clock_alignment WHERE day <= $last_day)
ORDER BY station, system, CASE watched WHEN 'network' THEN 1 WHEN 'disk' THEN 2 WHEN 'link' THEN 3 END, blind_below_s,
         tool, direction
