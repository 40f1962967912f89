/*
title = "What is foretold"
topic = "forecasts"
why = "The forecasts of a night: costs, drives needed, ends of campaigns, room, each with its interval or with the reason why it cannot be told."

[params.last_day]
type = "DATE"
doc = "site day on which they were made; the last day with data if left out"

[columns]
model = { type = "VARCHAR", doc = "model that said it" }
entity = { type = "VARCHAR", doc = "kind of drive, with a direction or without, campaign, plan or station" }
quantity = { type = "VARCHAR", doc = "what is foretold" }
alone = { type = "VARCHAR", doc = "input that alone is moved to its ends, or what alone would be different; NULL for the forecast itself" }
unit = { type = "VARCHAR", doc = "unit" }
value = { type = "DOUBLE", doc = "the forecast; NULL where it cannot be told" }
low = { type = "DOUBLE", doc = "low end of its 90 % interval" }
high = { type = "DOUBLE", doc = "high end" }
until_day = { type = "DATE", doc = "site day at whose end it is known what came" }
n_seen = { type = "BIGINT", doc = "days or mounts it rests on" }
seen = { type = "VARCHAR", doc = "which of the two" }
cannot_tell = { type = "VARCHAR", doc = "why it cannot be told" }
wanted = { type = "VARCHAR", doc = "which data would tell it" }
first_day = { type = "DATE", doc = "first site day that was looked at" }
*/
SELECT model, entity, quantity, alone, unit, value, low, high, until_day, n_seen, seen, cannot_tell, wanted, first_day
FROM gold.forecast
WHERE day = $last_day
ORDER BY model, entity, quantity, alone NULLS FIRST
