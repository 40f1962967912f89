/*
title = "Peaks of the judged gap"
why = "Where a station's gaps pile up: one peak at the expected gap is well, another one has a cause."

[params.first_day]
type = "DATE"
doc = "first site day; the last day with data if left out"

[params.last_day]
type = "DATE"
doc = "last site day; the last day with data if left out"

[params.station]
type = "VARCHAR"
default = ""
doc = "one station; all of them if left out"

[columns]
station = { type = "VARCHAR", doc = "station whose client ended the gaps" }
peak_s = { type = "DOUBLE", unit = "s", doc = "begin of a bin of 1 s that neither neighbour exceeds and that holds a twentieth of the station's gaps" }
n_gaps = { type = "BIGINT", doc = "gaps in the bin" }
share = { type = "DOUBLE", unit = "1", doc = "share of the station's gaps" }
*/
WITH bin AS (
    SELECT g.station, CAST(least(floor(g.judged_s), 30) AS DOUBLE) AS bin_from_s, count(*) AS n_gaps
    FROM silver.gap g CROSS JOIN site.setting c
    WHERE CAST(timezone(c.zone, timezone('UTC', g.started_at)) AS DATE) BETWEEN $first_day AND $last_day
      AND $station IN ('', g.station)
    GROUP BY ALL
),
beside AS (
    SELECT b.station, b.bin_from_s, b.n_gaps, coalesce(p.n_gaps, 0) AS n_before, coalesce(n.n_gaps, 0) AS n_after,
           b.n_gaps / sum(b.n_gaps) OVER (PARTITION BY b.station) AS share
    FROM bin b
    LEFT JOIN bin p ON p.station = b.station AND p.bin_from_s = b.bin_from_s - 1
    LEFT JOIN bin n ON n.station = b.station AND n.bin_from_s = b.bin_from_s + 1
)
-- of two equal bins the first is the peak; the bin of all longer ones is none
SELECT station, bin_from_s AS peak_s, n_gaps, share
FROM beside
WHERE n_gaps > n_before AND n_gaps >= n_after AND share >= 0.05 AND bin_from_s < 30
ORDER BY station, peak_s
