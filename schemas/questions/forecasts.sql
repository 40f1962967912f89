/*
title = "Forecasts"
topic = "forecasts"
why = "Lists the forecasts made in one night, such as the number of drives needed, the end of each campaign and the time until a spool is full. Most have a 90 % interval. If no estimate is possible, the row states the reason."

[params.last_day]
type = "DATE"
doc = "last site day whose data the forecasts use; default: the last day with data"

[columns]
model = { type = "VARCHAR", doc = "model that computed the forecast" }
entity = { type = "VARCHAR", doc = "what the forecast is about: a kind of drive, a kind of drive in one mode (read or write), a campaign, a plan or a station" }
quantity = { type = "VARCHAR", doc = "quantity that was forecast" }
varied_input = { type = "VARCHAR", was = "alone", doc = "the only input that this row varies; NULL for the forecast itself. The row shows how much the forecast depends on this input. If the input is a cause of lost time, value is the forecast with the cause fixed. For other inputs, value_low and value_high are the forecasts at the low and high ends of the input" }
unit = { type = "VARCHAR", doc = "unit of value, value_low and value_high" }
value = { type = "DOUBLE", doc = "the forecast, in the unit of its row; NULL where the data does not allow an estimate, or where the row has only value_low and value_high" }
value_low = { type = "DOUBLE", was = "low", doc = "low end of the forecast's 90 % interval (for a varied input: see varied_input); NULL where there is no interval" }
value_high = { type = "DOUBLE", was = "high", doc = "high end of the forecast's 90 % interval (for a varied input: see varied_input); NULL where there is no interval, and where the event may never happen" }
until_day = { type = "DATE", doc = "site day at whose end the outcome is known; NULL where that day is not fixed in advance, e.g. for the end of a campaign" }
n_samples = { type = "BIGINT", was = "n_seen", doc = "number of days or mounts that the forecast is based on" }
sample_unit = { type = "VARCHAR", was = "seen", doc = "what n_samples counts: days or mounts" }
reason_missing = { type = "VARCHAR", was = "cannot_tell", doc = "why there is no estimate; NULL where there is one" }
data_needed = { type = "VARCHAR", was = "wanted", doc = "data that would make an estimate possible" }
first_day = { type = "DATE", doc = "first site day of the data that the forecast is based on" }
*/
SELECT model, entity, quantity, varied_input, unit, value, value_low, value_high, until_day, n_samples, sample_unit,
       reason_missing, data_needed, first_day
FROM gold.forecast
WHERE day = $last_day
ORDER BY model, entity, quantity, varied_input NULLS FIRST
