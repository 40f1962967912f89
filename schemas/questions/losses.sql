/*
title = "Recoverable losses"
why = "What costs most, by cause: the findings of a rule together, priced at most. Prices are not capped and do not add up across causes, for one hour can be lost for two reasons."

[params.first_day]
type = "DATE"
doc = "first site day; the last day with data if left out"

[params.last_day]
type = "DATE"
doc = "last site day; the last day with data if left out"

[columns]
rule = { type = "VARCHAR", doc = "rule that fired: the cause" }
n_findings = { type = "BIGINT", doc = "stations, drives or hosts it fired for" }
entities = { type = "VARCHAR", doc = "where, the dearest first" }
first_day = { type = "DATE", doc = "first site day the rule looked at" }
last_day = { type = "DATE", doc = "last site day the rule looked at" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours or station-hours lost in that time, at most" }
lost_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "what could have moved in that time, at most; the worst period counts where an entity has several" }
*/
WITH per_entity AS (
    SELECT rule, entity, min(first_day) AS first_day, max(day) AS last_day, max(lost_hours) AS lost_hours,
           max(lost_gb_day) AS lost_gb_day
    FROM gold.finding
    WHERE day BETWEEN $first_day AND $last_day AND lost_gb_day > 0
    GROUP BY rule, entity
)
SELECT rule, count(*) AS n_findings, string_agg(entity, ', ' ORDER BY lost_gb_day DESC, entity) AS entities,
       min(first_day) AS first_day, max(last_day) AS last_day, sum(lost_hours) AS lost_hours,
       sum(lost_gb_day) AS lost_gb_day
FROM per_entity
GROUP BY rule
ORDER BY lost_gb_day DESC, rule
