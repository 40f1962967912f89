/*
title = "Which verdicts are withheld?"
topic = "findings"
why = "Verdicts that were withheld for lack of logs, which is neither a fault nor an all-clear, with the missing logs and hours."
takes = ["first_day", "last_day"]

[columns]
rule = { type = "VARCHAR", doc = "rule that gives no verdict" }
entity = { type = "VARCHAR", doc = "entity of a finding that fired now or was open before; NULL for everything this log covers" }
source = { type = "VARCHAR", doc = "kind of log that is missing" }
host = { type = "VARCHAR", doc = "whose: host, link or archive system" }
expected_hours = { type = "DOUBLE", unit = "h", doc = "hours judged by the rule for which site.toml declares it" }
seen_hours = { type = "DOUBLE", unit = "h", doc = "part of the expected hours with logs" }
missing_hours = { type = "DOUBLE", unit = "h", doc = "the others" }
share = { type = "DOUBLE", unit = "1", doc = "seen / expected" }
needed = { type = "DOUBLE", unit = "1", doc = "share the rule needs" }
first_day = { type = "DATE", doc = "first site day the rule judges" }
day = { type = "DATE", doc = "site day that was judged" }
*/
SELECT rule, entity, source, host, expected_hours, seen_hours, missing_hours, share, needed, first_day, day
FROM gold.suppressed_verdict
WHERE day BETWEEN $first_day AND $last_day
ORDER BY day, source, host, rule, entity NULLS FIRST
