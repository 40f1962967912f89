/*
title = "Bursts in the writes to a spool"
grain = "one row per host and hour in which at least one sample of writes to the host's disks exceeds 1 MB/s"
why = "A buffer cache that is flushed in bursts writes at full speed for a second, every few seconds. Only fine sampling shows this: at least three samples from one burst to the next."
partition = "month"
lineage = ["file_id", "line_no"]
features = ["D6", "M26", "M27", "M28"]

[columns]
day = { type = "DATE", doc = "site day of hour_at" }
hour_at = { type = "TIMESTAMP", doc = "start of the hour, UTC" }
host = { type = "VARCHAR", doc = "host" }
from_at = { type = "TIMESTAMP", doc = "start of the first burst; if no bursts were found, start of the hour's first sample" }
to_at = { type = "TIMESTAMP", doc = "end of the last burst; if no bursts were found, end of the hour's last sample" }
step_s = { type = "DOUBLE", unit = "s", doc = "usual time from one sample to the next" }
shortest_period_s = { type = "DOUBLE", unit = "s", doc = "shortest time from burst to burst that these samples can show: three times step_s" }
verdict = { type = "VARCHAR", doc = "burst: bursts were found. resolution insufficient: no bursts were found, and the columns about bursts are NULL; there may still be bursts with a period shorter than shortest_period_s" }
n_bursts = { type = "BIGINT", doc = "number of bursts in the hour" }
period_s = { type = "DOUBLE", unit = "s", doc = "usual time from the start of one burst to the start of the next, from the autocorrelation of the samples" }
on_s = { type = "DOUBLE", unit = "s", doc = "median length of a burst; samples show lengths only in multiples of step_s" }
amplitude_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "write rate within bursts: 95th percentile of those write rates in the hour that exceed 1 MB/s" }
burst_bytes = { type = "DOUBLE", unit = "bytes", doc = "median number of bytes written in one burst" }
mean_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average write rate while the pattern lasts: burst_bytes / period_s" }
implied_cache_gb = { type = "DOUBLE", unit = "GB", doc = "estimated size of the buffer cache: ten times burst_bytes. The estimate assumes that the cache is flushed whenever a tenth of it holds unwritten data" }
file_id = { type = "VARCHAR", doc = "log file with the samples of the first burst" }
line_no = { type = "BIGINT", doc = "number of the line with the first sample of the first burst" }

[[checks]]
expectation = "ExpectColumnValuesToBeInSet"
column = "verdict"
value_set = ["burst", "resolution insufficient"]
severity = "critical"
*/
WITH counted AS (
    SELECT host, tool, date_trunc('hour', from_at) AS hour_at, count(*) AS n_samples
    FROM silver.host_sample WHERE write_bytes_s IS NOT NULL
    GROUP BY ALL
),
finest AS (
    SELECT * FROM counted
    QUALIFY row_number() OVER (PARTITION BY host, hour_at ORDER BY n_samples DESC, tool) = 1
),
sample AS (
    -- of several tools, the one with the most samples in the hour
    SELECT s.host, f.hour_at, s.from_at, s.to_at, s.file_id, s.line_no, s.write_bytes_s AS rate,
           date_diff('microsecond', s.from_at, s.to_at) / 1e6 AS length_s
    FROM silver.host_sample s
    JOIN finest f
        ON f.host = s.host AND f.tool IS NOT DISTINCT FROM s.tool AND f.hour_at = date_trunc('hour', s.from_at)
    WHERE s.write_bytes_s IS NOT NULL
),
hourly AS (
    SELECT host, hour_at, median(length_s) AS step_s,
           quantile_cont(rate, 0.95) FILTER (WHERE rate > 1e6) AS peak, count(*) AS n_samples,
           avg(rate) AS mean, min(from_at) AS first_at, max(to_at) AS last_at
    FROM sample GROUP BY host, hour_at
),
-- a sample belongs to a burst unless it fell below a tenth of the peak
marked AS (
    SELECT s.*, h.step_s, h.peak, s.rate >= h.peak / 10 AS is_on,
           lag(s.rate >= h.peak / 10, 1, FALSE) OVER w AS was_on, lag(s.to_at) OVER w AS previous_to_at
    FROM sample s JOIN hourly h ON h.host = s.host AND h.hour_at = s.hour_at
    WHERE h.peak IS NOT NULL
    WINDOW w AS (PARTITION BY s.host, s.hour_at ORDER BY s.from_at)
),
numbered AS (
    SELECT *, sum(CASE WHEN is_on AND (NOT was_on OR previous_to_at < from_at) THEN 1 ELSE 0 END)
                  OVER (PARTITION BY host, hour_at ORDER BY from_at ROWS UNBOUNDED PRECEDING) AS burst
    FROM marked
),
burst AS (
    SELECT host, hour_at, burst, min(from_at) AS from_at, max(to_at) AS to_at, round(sum(rate * length_s)) AS bytes,
           round(sum(length_s), 6) AS on_s, arg_min(file_id, from_at) AS file_id, arg_min(line_no, from_at) AS line_no
    FROM numbered WHERE is_on
    GROUP BY host, hour_at, burst
),
timed AS (
    SELECT *, date_diff('microsecond', from_at, lead(from_at) OVER w) / 1e6 AS interval_s
    FROM burst WINDOW w AS (PARTITION BY host, hour_at ORDER BY from_at)
),
summed AS (
    SELECT t.host, t.hour_at, count(*) AS n_bursts, median(t.on_s) AS on_s, median(t.bytes) AS burst_bytes,
           min(t.from_at) AS from_at, max(t.to_at) AS to_at, arg_min(t.file_id, t.from_at) AS file_id,
           arg_min(t.line_no, t.from_at) AS line_no,
           CAST(round(median(t.interval_s) / any_value(h.step_s)) AS BIGINT) AS usual_steps
    FROM timed t JOIN hourly h ON h.host = t.host AND h.hour_at = t.hour_at
    GROUP BY t.host, t.hour_at
    HAVING count(*) >= 10
),
-- how alike the samples are to those k steps later, around the usual distance of bursts, at half of it and at twice:
-- the autocorrelation, on lists, since a join of an hour with itself is slow where the planner misjudges it
centred AS (
    SELECT s.host, s.hour_at, list(s.rate - h.mean ORDER BY s.from_at) AS x
    FROM sample s
    JOIN hourly h ON h.host = s.host AND h.hour_at = s.hour_at
    SEMI JOIN summed m ON m.host = s.host AND m.hour_at = s.hour_at
    GROUP BY s.host, s.hour_at
),
candidate AS (
    SELECT host, hour_at, unnest(range(greatest(3, usual_steps - 2), usual_steps + 2)) AS k
    FROM summed
),
likeness AS (
    SELECT c.host, c.hour_at, c.k,
           list_dot_product(x[:-1 - k // 2], x[1 + k // 2:]) / nullif(list_dot_product(x, x), 0) AS half_r,
           list_dot_product(x[:-1 - k], x[1 + k:]) / nullif(list_dot_product(x, x), 0) AS r,
           list_dot_product(x[:-1 - 2 * k], x[1 + 2 * k:]) / nullif(list_dot_product(x, x), 0) AS double_r
    FROM candidate c JOIN centred l ON l.host = c.host AND l.hour_at = c.hour_at
    WHERE 2 * c.k < len(l.x)
),
periodic AS (
    SELECT * FROM likeness
    QUALIFY row_number() OVER (PARTITION BY host, hour_at ORDER BY round(r, 6) DESC NULLS LAST, k) = 1
),
regular AS (
    SELECT t.host, t.hour_at,
           avg(CASE WHEN abs(t.interval_s - p.k * h.step_s) <= h.step_s THEN 1.0 ELSE 0.0 END) AS share,
           avg(t.interval_s) FILTER (WHERE abs(t.interval_s - p.k * h.step_s) <= h.step_s) AS mean_s
    FROM timed t
    JOIN hourly h ON h.host = t.host AND h.hour_at = t.hour_at
    JOIN periodic p ON p.host = t.host AND p.hour_at = t.hour_at
    WHERE t.interval_s IS NOT NULL
    GROUP BY t.host, t.hour_at
),
judged AS (
    -- Bursts are claimed where they are regular, within the samples' reach, short against their period, and where the
    -- samples come again one and two periods later and not half a period later, by five standard errors of chance.
    -- Noise does not repeat; consecutive files are too long (100 MB at 33 MB/s with a pause of 10 s after
    -- them are a quarter of their period) or keep no time. Small files, all of one size, cannot be distinguished from bursts.
    SELECT h.*, s.n_bursts, p.k * h.step_s AS period_s, s.on_s, s.burst_bytes, s.from_at, s.to_at, s.file_id,
           s.line_no,
           coalesce(r.share >= 0.5 AND r.mean_s >= 0.95 * 3 * h.step_s AND s.on_s < p.k * h.step_s
                    AND s.on_s <= greatest(p.k * h.step_s / 5, least(2 * h.step_s, p.k * h.step_s / 3), 2)
                    AND p.r - p.half_r >= 5 * sqrt(2.0 / h.n_samples) AND p.double_r >= 0.6 * p.r, FALSE) AS is_burst
    FROM hourly h
    LEFT JOIN summed s ON s.host = h.host AND s.hour_at = h.hour_at
    LEFT JOIN periodic p ON p.host = h.host AND p.hour_at = h.hour_at
    LEFT JOIN regular r ON r.host = h.host AND r.hour_at = h.hour_at
    WHERE h.peak IS NOT NULL
)
SELECT site_day(j.hour_at, c.zone) AS day, j.hour_at, j.host,
       CASE WHEN is_burst THEN j.from_at ELSE j.first_at END AS from_at,
       CASE WHEN is_burst THEN j.to_at ELSE j.last_at END AS to_at, j.step_s, 3 * j.step_s AS shortest_period_s,
       CASE WHEN is_burst THEN 'burst' ELSE 'resolution insufficient' END AS verdict,
       CASE WHEN is_burst THEN j.n_bursts END AS n_bursts, CASE WHEN is_burst THEN j.period_s END AS period_s,
       CASE WHEN is_burst THEN j.on_s END AS on_s, CASE WHEN is_burst THEN j.peak / 1e6 END AS amplitude_mb_s,
       CASE WHEN is_burst THEN j.burst_bytes END AS burst_bytes,
       CASE WHEN is_burst THEN j.burst_bytes / 1e6 / j.period_s END AS mean_mb_s,
       CASE WHEN is_burst THEN j.burst_bytes / 0.1 / 1e9 END AS implied_cache_gb,
       CASE WHEN is_burst THEN j.file_id END AS file_id, CASE WHEN is_burst THEN j.line_no END AS line_no
FROM judged j CROSS JOIN site.setting c
