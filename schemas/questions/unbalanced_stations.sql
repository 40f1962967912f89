/*
title = "Stations that do not balance"
topic = "stations"
why = "Data that comes in and does not go out stayed on the spool, was only scanned, or was counted wrongly."
takes = ["first_day", "last_day"]

[params.share]
type = "DOUBLE"
default = "0.1"
doc = "stations with a smaller difference, as a share of the larger side, are left out"

[columns]
station = { type = "VARCHAR", doc = "station" }
role = { type = "VARCHAR", doc = "role of the station; scanning stations need not balance" }
day = { type = "DATE", doc = "site day" }
in_tb = { type = "DOUBLE", unit = "TB", doc = "received by the station" }
out_tb = { type = "DOUBLE", unit = "TB", doc = "sent by the station" }
unaccounted_tb = { type = "DOUBLE", unit = "TB", doc = "in - out" }
out_duty = { type = "DOUBLE", unit = "1", doc = "duty factor of outbound traffic" }
needed_out_duty = { type = "DOUBLE", unit = "1", doc = "duty factor of outbound traffic that would balance the inbound traffic, at the rate of the active half-hours; above 1 is impossible" }
*/
SELECT station, role, day, in_gb / 1e3 AS in_tb, out_gb / 1e3 AS out_tb, unaccounted_gb / 1e3 AS unaccounted_tb, out_duty,
       needed_out_duty
FROM gold.mass_balance
WHERE day BETWEEN $first_day AND $last_day AND abs(unaccounted) > $share AND (in_duty > 0 OR out_duty > 0)
ORDER BY abs(unaccounted_gb) DESC, station, day
