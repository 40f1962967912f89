/*
title = "Cost of long gaps"
topic = "gaps"
was = ["gaps_by_station"]
why = "Shows what long gaps between files cost at each station and drive, in hours and in data that could have moved. Only the avoidable part of a gap counts: the gap without file mark, checksum, tape motion and time without a request."
takes = ["first_day", "last_day", "station", "drive"]

[columns]
level = { type = "VARCHAR", doc = "which gaps the row sums up. all: all gaps. station: the gaps of one station. drive: the gaps of one drive at one station" }
station = { type = "VARCHAR", doc = "station for which the file after each gap was moved; NULL in the row for all stations" }
drive = { type = "VARCHAR", doc = "drive in which the gaps occurred; NULL in a row that sums up several drives" }
n_gaps = { type = "BIGINT", doc = "number of gaps between files, including short ones" }
p50_s = { type = "DOUBLE", unit = "s", doc = "median avoidable gap" }
p95_s = { type = "DOUBLE", unit = "s", doc = "95th percentile of the avoidable gaps" }
modal_s = { type = "DOUBLE", unit = "s", doc = "most frequent length of an avoidable gap, rounded to full seconds; of several equally frequent lengths the shortest" }
share_long = { type = "DOUBLE", unit = "1", doc = "long gaps / all gaps. A gap is long if its avoidable part exceeds the expected gap by more than excess_s, a parameter of the rule long_gap" }
n_long_gaps = { type = "BIGINT", doc = "number of long gaps" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "sum of (avoidable part - expected gap) over the long gaps" }
lost_gb = { type = "DOUBLE", unit = "GB", doc = "upper limit of the data that could have moved in lost_hours, at the drive rate of the file before each gap. A gap for which this rate is not known counts as 0 GB" }
lost_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "lost_gb / number of days on which logs cover at least a tenth of some drive's day; without such days, all days of the period count. This is what the drives could have moved if nothing else limited them. For the part that the next bottleneck allows, see gain_gb_day of the cause long_gap in the question lost_time" }
*/
WITH counted AS (
    SELECT station, drive, avoidable_s, sum(n_gaps) AS n_gaps, sum(rate_bytes_s) AS rate_bytes_s
    FROM gold.gap_length
    WHERE day BETWEEN $first_day AND $last_day AND $station IN ('', station) AND $drive IN ('', drive)
    GROUP BY station, drive, avoidable_s
),
levelled AS (
    SELECT CASE WHEN grouping(station) = 1 THEN 'all' WHEN grouping(drive) = 1 THEN 'station' ELSE 'drive' END AS level,
           station, drive, avoidable_s, sum(n_gaps) AS n_gaps, sum(rate_bytes_s) AS rate_bytes_s
    FROM counted
    GROUP BY GROUPING SETS ((station, drive, avoidable_s), (station, avoidable_s), (avoidable_s))
),
ranked AS (
    -- number of gaps that are as short or shorter: the median is where that is half of them
    SELECT l.*, l.avoidable_s > c.expected_gap_s + rule_limit('long_gap', 'excess_s') AS is_long, l.avoidable_s - c.expected_gap_s AS over_s,
           sum(l.n_gaps) OVER (PARTITION BY l.level, l.station, l.drive ORDER BY l.avoidable_s) AS upto,
           sum(l.n_gaps) OVER (PARTITION BY l.level, l.station, l.drive) AS n_all,
           0.95e0 * (n_all - 1) AS place_95,
           sum(l.n_gaps) OVER (PARTITION BY l.level, l.station, l.drive, round(l.avoidable_s)) AS n_alike
    FROM levelled l CROSS JOIN site.setting c
),
logged AS (
    -- the days that the price of a finding is spread over (inputs/logged_drive_days.sql); where no drive log shows any, all
    SELECT coalesce(nullif(count(DISTINCT day), 0), date_diff('day', CAST($first_day AS DATE), CAST($last_day AS DATE)) + 1) AS n_days
    FROM gold.drive_day WHERE day BETWEEN $first_day AND $last_day AND 10 * covered_us >= day_us
)
SELECT level, station, drive, CAST(sum(n_gaps) AS BIGINT) AS n_gaps,
       (min(avoidable_s) FILTER (2 * upto >= n_all) + min(avoidable_s) FILTER (2 * upto > n_all)) / 2 AS p50_s,
       -- between the gaps at these two places of their order, as in quantile_cont
       min(avoidable_s) FILTER (upto > floor(place_95))
           + (min(avoidable_s) FILTER (upto > ceil(place_95)) - min(avoidable_s) FILTER (upto > floor(place_95)))
           * any_value(place_95 - floor(place_95)) AS p95_s,
       arg_min(round(avoidable_s), (-n_alike, avoidable_s)) AS modal_s,
       coalesce(sum(n_gaps) FILTER (is_long), 0) / sum(n_gaps) AS share_long,
       CAST(coalesce(sum(n_gaps) FILTER (is_long), 0) AS BIGINT) AS n_long_gaps,
       coalesce(sum(over_s * n_gaps) FILTER (is_long), 0) / 3600 AS lost_hours,
       coalesce(sum(over_s * rate_bytes_s) FILTER (is_long), 0) / 1e9 AS lost_gb,
       coalesce(sum(over_s * rate_bytes_s) FILTER (is_long), 0) / 1e9 / any_value(g.n_days) AS lost_gb_day
FROM ranked CROSS JOIN logged g
GROUP BY level, station, drive
ORDER BY lost_hours DESC, n_gaps DESC, level, station, drive
