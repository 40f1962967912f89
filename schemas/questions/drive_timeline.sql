/*
title = "What each drive did over the period"
topic = "hours"
why = "Shows when each drive worked, waited or was out of service. Each time step shows the activity that took the largest share of the step."
takes = ["first_day", "last_day"]

[params.most_steps]
type = "BIGINT"
default = 288
doc = "maximum number of equal time steps into which the period is divided; a step lasts at least one minute"

[columns]
drive = { type = "VARCHAR", doc = "drive" }
time_group = { type = "VARCHAR", doc = "group of drive time (gold.drive_time_bucket) with the largest share of each step; of two groups with equal shares, the one with the higher group_number is shown" }
group_words = { type = "VARCHAR", doc = "name of the group in words" }
group_number = { type = "BIGINT", doc = "position of the group in the order in which charts show a drive's day" }
colour = { type = "VARCHAR", doc = "colour of the group in charts" }
from_at = { type = "TIMESTAMP", doc = "start of a series of consecutive steps with the same group, UTC" }
to_at = { type = "TIMESTAMP", doc = "end of the series of consecutive steps with the same group, UTC" }
group_share = { type = "DOUBLE", unit = "1", doc = "share of the time between from_at and to_at that the drive spent in the group; waits and checksums inside a transfer count as moving data" }
*/
WITH bound AS (
    SELECT day_begin($first_day, zone) AS begin_at, day_end($last_day, zone) AS end_at FROM site.setting
),
step AS (
    SELECT begin_at, end_at, date_diff('microsecond', begin_at, end_at) AS all_us,
           greatest(60_000_000, -(-date_diff('microsecond', begin_at, end_at) // greatest($most_steps, 1))) AS step_us
    FROM bound
),
known AS (
    SELECT DISTINCT drive FROM gold.drive_ledger WHERE day BETWEEN $first_day AND $last_day
),
spent AS (
    SELECT d.drive, b.time_group, d.from_at, d.to_at
    FROM silver.drive_state d JOIN gold.drive_time_bucket b ON b.bucket = d.state
    WHERE span_near_days(d.from_at, d.to_at, $first_day, $last_day)
    UNION ALL
    SELECT drive, 'covered', from_at, to_at FROM silver.drive_coverage WHERE near_days(day, $first_day, $last_day)
),
cut AS (
    -- microseconds since the period began, within it
    SELECT s.drive, s.time_group, p.step_us, greatest(0, date_diff('microsecond', p.begin_at, s.from_at)) AS from_us,
           least(p.all_us, date_diff('microsecond', p.begin_at, s.to_at)) AS to_us
    FROM spent s JOIN known USING (drive) CROSS JOIN step p
    WHERE s.from_at < p.end_at AND s.to_at > p.begin_at
),
-- of a time within one step only the sums count, so few rows are left before each becomes a row per step
gathered AS (
    SELECT drive, time_group, step_us, from_us // step_us AS first_slot, (to_us - 1) // step_us AS last_slot,
           count(*) AS n, sum(from_us) AS from_us, sum(to_us) AS to_us
    FROM cut WHERE to_us > from_us
    GROUP BY drive, time_group, step_us, first_slot, last_slot
),
piece AS (
    SELECT *, unnest(range(first_slot, last_slot + 1)) AS slot FROM gathered
),
summed AS (
    SELECT drive, slot, time_group,
           sum(CASE WHEN slot = last_slot THEN to_us ELSE n * (slot + 1) * step_us END
               - CASE WHEN slot = first_slot THEN from_us ELSE n * slot * step_us END) AS us
    FROM piece GROUP BY drive, slot, time_group
),
slot AS (
    SELECT k.drive, s.slot, least(p.all_us - s.slot * p.step_us, p.step_us) AS slot_us
    FROM known k CROSS JOIN step p CROSS JOIN (SELECT unnest(range(-(-all_us // step_us))) AS slot FROM step) s
),
rest AS (
    -- time without a state is idle where it is logged, else unknown
    SELECT l.drive, l.slot, l.slot_us, coalesce(sum(m.us) FILTER (m.time_group <> 'covered'), 0) AS stated_us,
           coalesce(sum(m.us) FILTER (m.time_group = 'covered'), 0) AS covered_us
    FROM slot l LEFT JOIN summed m USING (drive, slot) GROUP BY l.drive, l.slot, l.slot_us
),
every AS (
    SELECT drive, slot, time_group, us FROM summed WHERE time_group <> 'covered'
    UNION ALL
    SELECT drive, slot, 'idle', greatest(covered_us - stated_us, 0) FROM rest
    UNION ALL
    SELECT drive, slot, 'unknown', slot_us - greatest(least(covered_us, slot_us), least(stated_us, slot_us)) FROM rest
),
per_group AS (
    SELECT e.drive, e.slot, e.time_group, g.group_words, g.group_number, g.colour, sum(e.us) AS us
    FROM every e
    JOIN (SELECT DISTINCT time_group, group_words, group_number, colour FROM gold.drive_time_bucket) g USING (time_group)
    GROUP BY ALL
),
most AS (
    SELECT m.*, r.slot_us FROM per_group m JOIN rest r USING (drive, slot)
    QUALIFY row_number() OVER (PARTITION BY m.drive, m.slot ORDER BY m.us DESC, m.group_number DESC) = 1
),
run AS (
    SELECT *, slot - row_number() OVER (PARTITION BY drive, time_group ORDER BY slot) AS run FROM most
)
SELECT r.drive, r.time_group, r.group_words, r.group_number, r.colour,
       any_value(p.begin_at) + to_microseconds(min(r.slot) * any_value(p.step_us)) AS from_at,
       least(any_value(p.end_at), any_value(p.begin_at) + to_microseconds((max(r.slot) + 1) * any_value(p.step_us))) AS to_at,
       sum(r.us) / sum(r.slot_us) AS group_share
FROM run r CROSS JOIN step p
GROUP BY r.drive, r.time_group, r.group_words, r.group_number, r.colour, r.run
ORDER BY r.drive, from_at
