/*
title = "Number of gaps by length"
grain = "one row per site day, station, drive and length of the avoidable gap"
why = "Shows how many gaps of each length there were. Where logs give times in whole seconds, the thousands of gaps of a day have only a few dozen lengths. From this short table, counts, costs and exact quantiles over a year are computed."
partition = "month"
features = ["D2", "G3"]

[columns]
day = { type = "DATE", doc = "site day on which the gap started" }
station = { type = "VARCHAR", doc = "station for which the file after the gap was moved" }
drive = { type = "VARCHAR", doc = "drive" }
avoidable_s = { type = "DOUBLE", was = "judged_s", unit = "s", doc = "length of the avoidable gap in seconds, as in silver.gap" }
n_gaps = { type = "BIGINT", doc = "number of gaps whose avoidable part has this length" }
rate_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "bytes that could have moved if each gap of this length were one second shorter: the sum of the known drive rates of the files before these gaps. NULL where no rate is known" }

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
