/*
title = "Threshold that separates idle from busy half-hours"
topic = "stations"
why = "A duty factor depends on its threshold. Where a station's half-hours form an idle and a busy group, this finds a threshold between the groups. It compares the duty factors at that threshold and at the site's threshold."
takes = ["last_day", "station"]

[params.n_days]
type = "BIGINT"
default = "7"
doc = "number of site days in the period that ends with last_day"

[columns]
station = { type = "VARCHAR", doc = "station" }
direction = { type = "VARCHAR", doc = "in (towards the station) or out (away from the station)" }
n_bins = { type = "BIGINT", doc = "number of half-hours that the logs of all the station's links cover completely" }
low_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "geometric mean of the rates in idle half-hours, the group with lower rates; rates below 0.1 MB/s count as 0.1. NULL where all half-hours have the same rate" }
high_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "geometric mean of the rates in busy half-hours, the group with higher rates; NULL where all half-hours have the same rate" }
separation = { type = "DOUBLE", unit = "1", doc = "distance between the means of the idle and the busy group, in units of the groups' spread (Ashman's D of log rates). Above 2, the groups are distinct. A spread below 0.1 counts as 0.1. NULL where all half-hours have the same rate" }
valley_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "threshold between the idle and the busy group (Otsu's method on log rates). NULL where all half-hours have the same rate (rates below 0.1 MB/s count as 0.1), separation is at most 2, a group has less than a twentieth of the half-hours, or high_mb_s is at most 1" }
duty_at_valley = { type = "DOUBLE", unit = "1", doc = "duty factor at valley_mb_s: share of half-hours with a rate above valley_mb_s; NULL where valley_mb_s is NULL" }
threshold_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "threshold in site.toml" }
duty = { type = "DOUBLE", unit = "1", doc = "duty factor at the threshold in site.toml: share of half-hours with a rate above threshold_mb_s" }
*/
WITH bin AS (
    SELECT w.station, w.direction, w.counted_gb * 1e3 / 1800 AS mb_s, log10(greatest(0.1, w.counted_gb * 1e3 / 1800)) AS x
    FROM gold.link_reconciliation w
    WHERE w.day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day AND $station IN ('', w.station)
),
-- every cut between two values, with the values below and above it
cut AS (
    SELECT station, direction, x, lead(x) OVER upwards AS next_x,
           count(*) OVER upwards AS n0, sum(x) OVER upwards AS s0, sum(x * x) OVER upwards AS q0,
           count(*) OVER alike AS n, sum(x) OVER alike AS s, sum(x * x) OVER alike AS q
    FROM bin
    WINDOW alike AS (PARTITION BY station, direction),
           upwards AS (PARTITION BY station, direction ORDER BY x ROWS UNBOUNDED PRECEDING)
),
apart AS (
    SELECT station, direction, (x + next_x) / 2 AS cut_x, s0 / n0 AS low, (s - s0) / (n - n0) AS high, least(n0, n - n0) / n AS smaller,
           n0 * (n - n0) * ((s - s0) / (n - n0) - s0 / n0) ** 2 AS between_both,
           greatest(0.01, q0 / n0 - (s0 / n0) ** 2) AS low_spread, greatest(0.01, (q - q0) / (n - n0) - ((s - s0) / (n - n0)) ** 2) AS high_spread
    FROM cut WHERE next_x > x
),
best AS (
    SELECT *, sqrt(2) * (high - low) / sqrt(low_spread + high_spread) AS separation
    FROM apart QUALIFY row_number() OVER (PARTITION BY station, direction ORDER BY between_both DESC, cut_x) = 1
),
valley AS (
    -- two groups, neither with only a few half-hours, and the upper one with traffic
    SELECT *, CASE WHEN separation > 2 AND smaller >= 0.05 AND high > 0 THEN cut_x END AS valley_x FROM best
)
SELECT b.station, b.direction, count(*) AS n_bins, 10 ** any_value(t.low) AS low_mb_s, 10 ** any_value(t.high) AS high_mb_s,
       any_value(t.separation) AS separation, 10 ** any_value(t.valley_x) AS valley_mb_s,
       CASE WHEN any_value(t.valley_x) IS NOT NULL THEN count(*) FILTER (b.x > t.valley_x) / count(*) END AS duty_at_valley,
       any_value(c.duty_threshold_mb_s) AS threshold_mb_s, count(*) FILTER (b.mb_s > c.duty_threshold_mb_s) / count(*) AS duty
FROM bin b CROSS JOIN site.setting c
LEFT JOIN valley t ON t.station = b.station AND t.direction = b.direction
GROUP BY b.station, b.direction
ORDER BY b.station, b.direction
