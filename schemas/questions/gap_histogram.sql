/*
title = "Histogram of avoidable gaps between files"
topic = "gaps"
why = "Two peaks reveal two kinds of dialogue between files, a healthy one and one that is stuck. An average hides this."
takes = ["first_day", "last_day", "station", "drive"]

[columns]
station = { type = "VARCHAR", doc = "station whose client ended the gaps" }
drive = { type = "VARCHAR", doc = "drive" }
bin_from_s = { type = "DOUBLE", unit = "s", doc = "shortest avoidable gap in the bin, which is 1 s wide; the bin at 30 s has all longer gaps" }
n_gaps = { type = "BIGINT", doc = "number of gaps in the bin" }
*/
SELECT station, drive, CAST(least(floor(avoidable_s), 30) AS DOUBLE) AS bin_from_s, CAST(sum(n_gaps) AS BIGINT) AS n_gaps
FROM gold.gap_length
WHERE day BETWEEN $first_day AND $last_day AND $station IN ('', station) AND $drive IN ('', drive)
GROUP BY station, drive, bin_from_s
ORDER BY ALL
