/*
title = "Verdicts that rules withheld"
topic = "findings"
why = "Lists the cases in which a rule gave no verdict because logs are missing, with these logs and the missing hours. A withheld verdict means neither a fault nor an all-clear."
takes = ["first_day", "last_day"]

[columns]
rule = { type = "VARCHAR", doc = "rule that gave no verdict" }
entity = { type = "VARCHAR", doc = "drive, station or other entity for which the rule gives no verdict, because too much of its log is missing. The logs that were read would make the rule fire for this entity, or the rule fired for it on the previous judged day. NULL in a row that covers all entities of a log" }
source = { type = "VARCHAR", doc = "kind of log that is missing" }
host = { type = "VARCHAR", doc = "host, link or archive system whose log is missing" }
expected_hours = { type = "DOUBLE", unit = "h", doc = "hours of the judged period for which site.toml expects the log" }
covered_hours = { type = "DOUBLE", unit = "h", doc = "part of expected_hours that the log covers" }
missing_hours = { type = "DOUBLE", unit = "h", doc = "part of expected_hours that the log does not cover" }
share = { type = "DOUBLE", unit = "1", doc = "covered_hours / expected_hours" }
needed = { type = "DOUBLE", unit = "1", doc = "share of expected_hours that the log must cover for a verdict" }
first_day = { type = "DATE", doc = "first site day of the period that the rule judges" }
day = { type = "DATE", doc = "last site day of the period that the rule judges" }
*/
SELECT rule, entity, source, host, expected_hours, covered_hours, missing_hours, share, needed, first_day, day
FROM gold.suppressed_verdict
WHERE day BETWEEN $first_day AND $last_day
ORDER BY day, source, host, rule, entity NULLS FIRST
