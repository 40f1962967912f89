/*
title = "Did forecasts come true?"
topic = "forecasts"
why = "Compares each night's forecasts for campaigns with what happened later. Nine of ten outcomes should be inside the forecast's 90 % interval."

[params.last_day]
type = "DATE"
doc = "last site day whose outcomes are used; default: the last day with data"

[columns]
day = { type = "DATE", doc = "last site day whose data the forecast uses" }
entity = { type = "VARCHAR", doc = "name of the campaign" }
quantity = { type = "VARCHAR", doc = "what was forecast. week_gb: data moved in the seven days after the forecast. days_left: days until all data of the campaign has moved" }
unit = { type = "VARCHAR", doc = "unit of value, value_low, value_high and actual" }
value = { type = "DOUBLE", doc = "the forecast" }
value_low = { type = "DOUBLE", was = "low", doc = "low end of the forecast's 90 % interval; NULL where there is no interval" }
value_high = { type = "DOUBLE", was = "high", doc = "high end of the forecast's 90 % interval" }
actual = { type = "DOUBLE", was = "came", doc = "what happened. For days_left: number of days until the campaign was complete; the last day counts as a full day. NULL while the week is not over or the campaign is not complete, and where logs are missing" }
verdict = { type = "VARCHAR", doc = "held: the outcome is inside the forecast's interval. less than forecast: the outcome is below the interval. more than forecast: the outcome is above the interval, or the campaign is not complete after more days than the interval's high end. logs missing: the outcome cannot be known. not over: the forecast may still come true" }
*/
WITH done AS (
    SELECT k.campaign, k.day, k.moved_gb, c.size_tb,
           sum(CAST(round(1e9 * k.moved_gb) AS HUGEINT)) OVER (PARTITION BY k.campaign ORDER BY k.day) / 1e9 AS done_gb
    FROM gold.campaign k JOIN site.campaign c ON c.campaign = k.campaign
    WHERE k.day <= $last_day
),
ended AS (
    SELECT campaign, min(day) FILTER (done_gb >= size_tb * 1e3) AS ended_day FROM done GROUP BY campaign
),
scored AS (
    SELECT day, entity, quantity, unit, value, value_low, value_high, until_day FROM gold.forecast
    WHERE model = 'eta' AND varied_input IS NULL AND value IS NOT NULL AND quantity IN ('week_gb', 'days_left')
        AND value > 0 AND day < $last_day
),
week AS (
    SELECT s.day, s.entity, s.quantity, count(d.day) AS n_days,
           sum(CAST(round(1e9 * d.moved_gb) AS HUGEINT)) / 1e9 AS moved_gb
    FROM scored s LEFT JOIN done d ON d.campaign = s.entity AND d.day > s.day AND d.day <= s.until_day
    WHERE s.quantity = 'week_gb' GROUP BY s.day, s.entity, s.quantity
),
held AS (
    SELECT s.*, w.n_days, date_diff('day', s.day, e.ended_day) AS n_days_took,
           CASE s.quantity
               WHEN 'week_gb' THEN
                   CASE WHEN s.until_day <= $last_day AND w.n_days = date_diff('day', s.day, s.until_day)
                        THEN w.moved_gb END
               ELSE date_diff('day', s.day, e.ended_day)
           END AS actual
    FROM scored s
    LEFT JOIN week w ON w.day = s.day AND w.entity = s.entity AND w.quantity = s.quantity
    LEFT JOIN ended e ON e.campaign = s.entity
)
SELECT day, entity, quantity, unit, value, value_low, value_high, CAST(actual AS DOUBLE) AS actual,
       CASE WHEN quantity = 'week_gb' AND until_day > $last_day THEN 'not over'
            WHEN quantity = 'week_gb' AND actual IS NULL THEN 'logs missing'
            -- the end is somewhere in the day on which it was complete
            WHEN quantity = 'days_left' AND actual IS NULL THEN
                CASE WHEN date_diff('day', day, $last_day) > value_high THEN 'more than forecast' ELSE 'not over' END
            WHEN actual < value_low THEN 'less than forecast'
            WHEN actual - CASE quantity WHEN 'days_left' THEN 1 ELSE 0 END > value_high THEN 'more than forecast'
            ELSE 'held' END AS verdict
FROM held
ORDER BY day, entity, quantity
