/*
title = "Lengths of gaps"
grain = "one row per site day, station, drive and length of its gaps"
why = "A log's clock has whole seconds, so a day's thousand gaps have a few dozen lengths. They give counts, costs and exact quantiles over a year."
partition = "month"
features = ["D2", "G3"]

[columns]
day = { type = "DATE", doc = "site day of the gap's start" }
station = { type = "VARCHAR", doc = "station of the transfer after it" }
drive = { type = "VARCHAR", doc = "drive" }
avoidable_s = { type = "DOUBLE", was = "judged_s", unit = "s", doc = "avoidable length of the gaps, as in silver.gap" }
n_gaps = { type = "BIGINT", doc = "gaps of that length" }
rate_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "sum of the drive rates of the files before them: what one second of each gap could have moved; NULL where no rate is known" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "station", "drive", "avoidable_s"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "n_gaps"
min_value = 1
severity = "critical"
*/
SELECT site_day(g.started_at, c.zone) AS day, g.station, g.drive, g.avoidable_s,
       count(*) AS n_gaps,
       -- whole bytes a second: their sum does not depend on the order in which the files come
       CAST(sum(CAST(round(g.rate_bytes_s) AS BIGINT)) AS DOUBLE) AS rate_bytes_s
FROM silver.gap g CROSS JOIN site.setting c
GROUP BY ALL
