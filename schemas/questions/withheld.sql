/*
title = "Which verdicts are withheld?"
topic = "findings"
why = "What is not said because too little was seen: neither a fault nor an all-clear. The logs that are missing, and for how many hours."
takes = ["first_day", "last_day"]

[columns]
rule = { type = "VARCHAR", doc = "rule that gives no verdict" }
entity = { type = "VARCHAR", doc = "whom a finding would be about that fired now or stood before; NULL for all this log speaks of" }
source = { type = "VARCHAR", doc = "kind of log that is missing" }
host = { type = "VARCHAR", doc = "whose: host, link or archive system" }
expected_hours = { type = "DOUBLE", unit = "h", doc = "hours the rule looks at for which site.toml declares it" }
seen_hours = { type = "DOUBLE", unit = "h", doc = "hours of these that were seen" }
missing_hours = { type = "DOUBLE", unit = "h", doc = "the others" }
share = { type = "DOUBLE", unit = "1", doc = "seen / expected" }
needed = { type = "DOUBLE", unit = "1", doc = "share the rule needs" }
first_day = { type = "DATE", doc = "first site day the rule looks at" }
day = { type = "DATE", doc = "site day that was judged" }
*/
SELECT rule, entity, source, host, expected_hours, seen_hours, missing_hours, share, needed, first_day, day
FROM gold.withheld
WHERE day BETWEEN $first_day AND $last_day
ORDER BY day, source, host, rule, entity NULLS FIRST
