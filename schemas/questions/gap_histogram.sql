/*
title = "Histogram of avoidable gaps between files"
topic = "gaps"
why = "Shows how many avoidable gaps there are of each length. Two peaks usually mean two kinds of gap: short gaps, in which client, server and mover exchange messages normally, and long gaps, in which messages get stuck. An average hides this."
takes = ["first_day", "last_day", "station", "drive"]

[columns]
station = { type = "VARCHAR", doc = "station for which the file after each gap was moved" }
drive = { type = "VARCHAR", doc = "drive" }
bin_from_s = { type = "DOUBLE", unit = "s", doc = "lower end of the bin, which is 1 s wide; the bin at 30 s contains all longer gaps too" }
n_gaps = { type = "BIGINT", doc = "number of gaps whose avoidable part is in the bin" }
*/
SELECT station, drive, CAST(least(floor(avoidable_s), 30) AS DOUBLE) AS bin_from_s, CAST(sum(n_gaps) AS BIGINT) AS n_gaps
FROM gold.gap_length
WHERE day BETWEEN $first_day AND $last_day AND $station IN ('', station) AND $drive IN ('', drive)
GROUP BY station, drive, bin_from_s
ORDER BY ALL
