/*
title = "Recoverable losses"
topic = "findings"
why = "Shows what to fix first: for each rule, the losses of its findings are added up. A gain is limited by the next bottleneck. If no gain is known, lost_gb_day is its upper limit. Do not add the losses of different rules: they may include the same hours. Findings with a gain of 0 are left out: no work waited, or the next bottleneck allows no more. Findings of the rule source_silent are left out too, because their hours are those of a log."
takes = ["first_day", "last_day"]

[columns]
rule = { type = "VARCHAR", doc = "rule that fired; it names the cause of the loss" }
n_findings = { type = "BIGINT", doc = "number of entities (such as stations, drives or tapes) for which the rule fired" }
entities = { type = "VARCHAR", doc = "names of the entities for which the rule fired, the most expensive first" }
first_day = { type = "DATE", doc = "first site day of the periods for which the rule fired" }
last_day = { type = "DATE", doc = "last site day of the periods for which the rule fired" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "upper limit of the drive-hours or station-hours lost. If the rule fired for an entity in several periods, only the period with the most hours is used" }
lost_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "data per day that the drives could have moved in the lost time, at their own rates and without other limits. gain_gb_day is the part that the next bottleneck allows. If the rule fired for an entity in several periods, only the largest loss is used" }
gain_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "extra data per day that would move if the cause were fixed, limited by the next bottleneck. If the rule fired for an entity in several periods, only the most expensive period is used. NULL where no finding of the rule has a known gain" }
gain_gb_day_low = { type = "DOUBLE", was = "gain_least_gb_day", unit = "GB/day", doc = "low end of gain_gb_day: sum of the low ends of the 90 % intervals of the findings' gains. NULL where the gain of a finding has no interval" }
gain_gb_day_high = { type = "DOUBLE", was = "gain_most_gb_day", unit = "GB/day", doc = "high end of gain_gb_day: sum of the high ends of the 90 % intervals of the findings' gains. NULL where the gain of a finding has no interval" }
bottleneck = { type = "VARCHAR", doc = "what would limit the drives next if the cause of the rule's most expensive finding were fixed" }
ranked_by = { type = "VARCHAR", doc = "what the rule is ranked by. gain: gain_gb_day. price: lost_gb_day, because no gain is known. hours: lost hours per day, because neither is known; these hours are converted to GB per day with the median GB per lost hour of the other rules" }
*/
WITH judged AS (
    -- a drive that was down twice in a period has two findings
    SELECT rule, entity, day, min(first_day) AS first_day, min(started_at) AS started_at, sum(lost_hours) AS lost_hours,
           sum(lost_gb_day) AS lost_gb_day, sum(gain_gb_day) AS gain_gb_day,
           CASE WHEN count(gain_gb_day_low) = count(*) THEN sum(gain_gb_day_low) END AS gain_gb_day_low,
           CASE WHEN count(gain_gb_day_high) = count(*) THEN sum(gain_gb_day_high) END AS gain_gb_day_high,
           first(bottleneck ORDER BY gain_gb_day DESC NULLS LAST, started_at) AS bottleneck
    FROM gold.finding
    WHERE day BETWEEN $first_day AND $last_day AND (lost_gb_day > 0 OR gain_gb_day > 0 OR lost_hours > 0)
          AND coalesce(gain_gb_day, 1) > 0
          AND rule <> 'source_silent'  -- its hours are a log's, not a drive's
    GROUP BY rule, entity, day
),
worst AS (
    -- the most expensive period of each entity; a complete row, so that gain and interval belong together
    SELECT *, min(first_day) OVER entity AS since, max(day) OVER entity AS until,
           max(lost_hours) OVER entity AS most_hours, max(lost_gb_day) OVER entity AS most_gb
    FROM judged
    WINDOW entity AS (PARTITION BY rule, entity)
    QUALIFY row_number() OVER (PARTITION BY rule, entity
                               ORDER BY coalesce(gain_gb_day, lost_gb_day) DESC NULLS LAST, lost_hours DESC, day,
                                        started_at) = 1
),
found AS (
    SELECT rule, count(*) AS n_findings,
           string_agg(entity, ', ' ORDER BY coalesce(gain_gb_day, lost_gb_day) DESC NULLS LAST, lost_hours DESC, entity)
               AS entities,
           min(since) AS first_day, max(until) AS last_day, sum(most_hours) AS lost_hours, sum(most_gb) AS lost_gb_day,
           sum(gain_gb_day) AS gain_gb_day,
           CASE WHEN count(gain_gb_day_low) = count(*) THEN sum(gain_gb_day_low) END AS gain_gb_day_low,
           CASE WHEN count(gain_gb_day_high) = count(*) THEN sum(gain_gb_day_high) END AS gain_gb_day_high,
           first(bottleneck ORDER BY gain_gb_day DESC NULLS LAST, entity) AS bottleneck,
           sum(most_hours / (date_diff('day', first_day, day) + 1)) AS hours_day
    FROM worst
    GROUP BY rule
),
priced AS (
    SELECT *, CASE WHEN gain_gb_day IS NOT NULL THEN 'gain' WHEN lost_gb_day IS NOT NULL THEN 'price' ELSE 'hours' END
               AS ranked_by,
           coalesce(gain_gb_day, lost_gb_day) AS gb_day,
           median(coalesce(gain_gb_day, lost_gb_day) / nullif(hours_day, 0)) OVER () AS gb_hour
    FROM found
)
SELECT * EXCLUDE (hours_day, gb_day, gb_hour)
FROM priced
ORDER BY coalesce(gb_day, hours_day * coalesce(gb_hour, 1)) DESC, rule
