/*
title = "Findings"
topic = "findings"
why = "Shows what is anomalous, where and since when, what it costs at most, and how certain each finding is. It also names the log lines that prove the finding."
takes = ["first_day", "last_day"]

[params.finding]
type = "VARCHAR"
default = ""
doc = "id of one finding; default: all findings"

[columns]
day = { type = "DATE", doc = "last site day of the period that the rule judged" }
first_day = { type = "DATE", doc = "first site day of the period that the rule judged" }
finding_id = { type = "VARCHAR", doc = "id of the finding: a hash of its rule and entity, so it is the same every day" }
rule = { type = "VARCHAR", doc = "rule that fired" }
severity = { type = "VARCHAR", doc = "info, warning or critical" }
state = { type = "VARCHAR", doc = "new, open (found on the previous judged day too), returned (found on an earlier day, but not on the previous judged day), acknowledged or muted" }
entity = { type = "VARCHAR", doc = "drive, station, host or other entity that the finding concerns" }
started_at = { type = "TIMESTAMP", doc = "start of the anomaly, or of the judged period if the anomaly began earlier, UTC" }
ended_at = { type = "TIMESTAMP", doc = "end of the anomaly, UTC" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "upper limit of the drive-hours or station-hours that the finding cost; NULL where the rule does not estimate a cost" }
lost_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "data per day that the drives could have moved in the lost time, at their own rates and without other limits. gain_gb_day is the part that the next bottleneck allows" }
gain_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "extra data per day that would move if the cause were fixed, limited by the next bottleneck; NULL where the gain is not known" }
gain_gb_day_low = { type = "DOUBLE", was = "gain_least_gb_day", unit = "GB/day", doc = "low end of the gain's 90 % interval" }
gain_gb_day_high = { type = "DOUBLE", was = "gain_most_gb_day", unit = "GB/day", doc = "high end of the gain's 90 % interval" }
bottleneck = { type = "VARCHAR", doc = "what would limit the drives next if the cause were fixed" }
confidence = { type = "VARCHAR", doc = "how certain the finding is (high, medium or low), and why" }
text = { type = "VARCHAR", doc = "the finding as a sentence" }
means = { type = "VARCHAR", doc = "what a finding of this rule usually means" }
look_at = { type = "VARCHAR", doc = "what a person should check next" }
facts = { type = "VARCHAR", doc = "numbers and names in the finding's text, and further details (JSON)" }
joined_to = { type = "VARCHAR", doc = "id of the main finding with the same cause; the main finding counts the loss. NULL if this is the main finding, or if no other finding has the same cause" }
evidence = { type = "VARCHAR", doc = "log lines that prove the finding (JSON: path, line_no, at, text)" }
*/
SELECT day, first_day, finding_id, rule, severity, state, entity, started_at, ended_at, lost_hours, lost_gb_day, gain_gb_day,
       gain_gb_day_low, gain_gb_day_high, bottleneck, confidence, text, means, look_at,
       facts, joined_to, evidence
FROM gold.finding
WHERE day BETWEEN $first_day AND $last_day AND $finding IN ('', finding_id)
ORDER BY CASE severity WHEN 'critical' THEN 1 WHEN 'warning' THEN 2 ELSE 3 END,
         coalesce(gain_gb_day, lost_gb_day) DESC NULLS LAST, lost_hours DESC NULLS LAST, rule, entity, day
