/*
title = "Forecasts"
topic = "forecasts"
why = "The forecasts of a night: costs, drives needed, ends of campaigns and spool headroom, each with its interval or the reason why there is no estimate."

[params.last_day]
type = "DATE"
doc = "site day on which they were made; default: the last day with data"

[columns]
model = { type = "VARCHAR", doc = "model that computed it" }
entity = { type = "VARCHAR", doc = "kind of drive, with a direction or without, campaign, plan or station" }
quantity = { type = "VARCHAR", doc = "forecast quantity" }
varied_input = { type = "VARCHAR", was = "alone", doc = "input that is varied: at its low end in `value_low`, at its high end in `value_high`, or changed in `value`; NULL for the forecast itself" }
unit = { type = "VARCHAR", doc = "unit" }
value = { type = "DOUBLE", doc = "the forecast, in its unit; NULL where the data does not allow an estimate" }
value_low = { type = "DOUBLE", was = "low", doc = "low end of its 90 % interval; NULL where there is none" }
value_high = { type = "DOUBLE", was = "high", doc = "high end; also NULL where it may never happen" }
until_day = { type = "DATE", doc = "site day at whose end the outcome is known" }
n_samples = { type = "BIGINT", was = "n_seen", doc = "size of its sample" }
sample_unit = { type = "VARCHAR", was = "seen", doc = "unit of the sample: days or mounts" }
reason_missing = { type = "VARCHAR", was = "cannot_tell", doc = "why there is no estimate; NULL where there is one" }
data_needed = { type = "VARCHAR", was = "wanted", doc = "data that would allow an estimate" }
first_day = { type = "DATE", doc = "first site day of the period" }
*/
SELECT model, entity, quantity, varied_input, unit, value, value_low, value_high, until_day, n_samples, sample_unit,
       reason_missing, data_needed, first_day
FROM gold.forecast
WHERE day = $last_day
ORDER BY model, entity, quantity, varied_input NULLS FIRST
