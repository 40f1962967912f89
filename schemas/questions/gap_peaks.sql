/*
title = "Most common lengths of gaps between files"
topic = "gaps"
why = "Shows the lengths around which a station's avoidable gaps cluster. A peak at the expected gap is normal; any other peak has a cause that should be found."
takes = ["first_day", "last_day", "station", "drive"]

[columns]
station = { type = "VARCHAR", doc = "station for which the file after each gap was moved" }
peak_s = { type = "DOUBLE", unit = "s", doc = "lower end of the 1 s bin of avoidable gaps that forms the peak. The bin has more gaps than the bins next to it, and at least a twentieth of all gaps. All gaps of 30 s or more are one bin, which is never a peak" }
n_gaps = { type = "BIGINT", doc = "number of gaps in the 1 s bin of the peak" }
share = { type = "DOUBLE", unit = "1", doc = "gaps in the 1 s bin of the peak / all gaps of the station; if a drive is given, both count only its gaps" }
weight = { type = "DOUBLE", unit = "1", doc = "gaps that belong to the peak / all gaps of the station; if a drive is given, both count only its gaps. The border between two peaks is the bin between them that has the fewest gaps" }
median_s = { type = "DOUBLE", unit = "s", doc = "median length of the avoidable gaps that belong to the peak" }
*/
WITH gap AS (
    SELECT station, avoidable_s, CAST(least(floor(avoidable_s), 30) AS DOUBLE) AS bin_from_s, sum(n_gaps) AS n_gaps
    FROM gold.gap_length
    WHERE day BETWEEN $first_day AND $last_day AND $station IN ('', station) AND $drive IN ('', drive)
    GROUP BY station, avoidable_s
),
bin AS (
    -- empty bins too: they separate two peaks best
    SELECT s.station, n.bin_from_s, CAST(coalesce(sum(g.n_gaps), 0) AS BIGINT) AS n_gaps
    FROM (SELECT DISTINCT station FROM gap) s
    CROSS JOIN (SELECT CAST(unnest(range(31)) AS DOUBLE) AS bin_from_s) n
    LEFT JOIN gap g ON g.station IS NOT DISTINCT FROM s.station AND g.bin_from_s = n.bin_from_s
    GROUP BY s.station, n.bin_from_s
),
nearby AS (
    SELECT *, lag(n_gaps, 1, 0) OVER w AS n_before, lead(n_gaps, 1, 0) OVER w AS n_after,
           n_gaps / sum(n_gaps) OVER (PARTITION BY station) AS share
    FROM bin
    WINDOW w AS (PARTITION BY station ORDER BY bin_from_s)
),
peak AS (
    -- of two equal bins the first is the peak; the bin of all longer ones is not one
    SELECT station, bin_from_s AS peak_s, n_gaps, share,
           lead(bin_from_s) OVER (PARTITION BY station ORDER BY bin_from_s) AS next_peak_s
    FROM nearby
    WHERE n_gaps > n_before AND n_gaps >= n_after AND share >= 0.05 AND bin_from_s < 30
),
valley AS (
    SELECT p.station, p.peak_s, first(b.bin_from_s ORDER BY b.n_gaps, b.bin_from_s) AS ends_s
    FROM peak p
    JOIN bin b ON b.station IS NOT DISTINCT FROM p.station AND b.bin_from_s > p.peak_s AND b.bin_from_s < p.next_peak_s
    GROUP BY p.station, p.peak_s
),
mode AS (
    SELECT p.*, lag(v.ends_s) OVER (PARTITION BY p.station ORDER BY p.peak_s) AS from_s, v.ends_s AS to_s
    FROM peak p LEFT JOIN valley v ON v.station IS NOT DISTINCT FROM p.station AND v.peak_s = p.peak_s
),
ranked AS (
    -- the gaps of a peak, and how many of them are as short or shorter: their median is where that is half of them
    SELECT m.*, g.avoidable_s, g.n_gaps AS n_same, sum(g.n_gaps) OVER (PARTITION BY m.station, m.peak_s ORDER BY g.avoidable_s) AS upto,
           sum(g.n_gaps) OVER (PARTITION BY m.station, m.peak_s) AS n_all
    FROM mode m
    JOIN gap g
        ON g.station IS NOT DISTINCT FROM m.station AND g.bin_from_s >= coalesce(m.from_s, 0)
       AND g.bin_from_s < coalesce(m.to_s, 31)
)
SELECT station, peak_s, n_gaps, share,
       sum(n_same) / (SELECT sum(a.n_gaps) FROM gap a WHERE a.station IS NOT DISTINCT FROM r.station) AS weight,
       (min(avoidable_s) FILTER (2 * upto >= n_all) + min(avoidable_s) FILTER (2 * upto > n_all)) / 2 AS median_s
FROM ranked r
GROUP BY station, peak_s, n_gaps, share
ORDER BY station, peak_s
