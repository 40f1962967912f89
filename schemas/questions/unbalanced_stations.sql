/*
title = "Stations that receive more than they send, or the reverse"
topic = "stations"
why = "If a station sends more or less data than it receives, there are three possible causes. Its spool filled or emptied, data was only scanned or discarded, or traffic was counted wrongly."
takes = ["first_day", "last_day"]

[params.share]
type = "DOUBLE"
default = "0.1"
doc = "a station is listed for a day only if |data received - data sent| exceeds this share of the larger of the two. Its traffic in or out must also exceed duty_threshold_mb_s (in site.toml) in at least one half-hour"

[columns]
station = { type = "VARCHAR", doc = "station" }
role = { type = "VARCHAR", doc = "role of the station. A scanning station only checks tapes, so its traffic does not have to balance" }
day = { type = "DATE", doc = "site day" }
in_tb = { type = "DOUBLE", unit = "TB", doc = "data that the station received on the day" }
out_tb = { type = "DOUBLE", unit = "TB", doc = "data that the station sent on the day" }
unaccounted_tb = { type = "DOUBLE", unit = "TB", doc = "in_tb - out_tb" }
out_duty = { type = "DOUBLE", unit = "1", doc = "duty factor of the traffic out of the station: share of half-hours in which this traffic exceeds duty_threshold_mb_s in site.toml" }
needed_out_duty = { type = "DOUBLE", unit = "1", doc = "out_duty that the station would need to send all data that it received, at its average outbound rate. Only half-hours in which the traffic exceeds duty_threshold_mb_s are used. No station can reach a value above 1" }
*/
SELECT station, role, day, in_gb / 1e3 AS in_tb, out_gb / 1e3 AS out_tb, unaccounted_gb / 1e3 AS unaccounted_tb, out_duty,
       needed_out_duty
FROM gold.mass_balance
WHERE day BETWEEN $first_day AND $last_day AND abs(unaccounted) > $share AND (in_duty > 0 OR out_duty > 0)
ORDER BY abs(unaccounted_gb) DESC, station, day
