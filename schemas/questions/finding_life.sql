/*
title = "State of findings, from new to gone"
topic = "findings"
why = "Shows which findings are open or gone, since when, and what notes people left on them."

[params.last_day]
type = "DATE"
doc = "report the state as of this site day; default: the last day with data"

[columns]
finding_id = { type = "VARCHAR", doc = "id of the finding: a hash of its rule and entity, so it is the same every day" }
state = { type = "VARCHAR", doc = "gone if the rules could judge a later day and the finding did not fire on it. Otherwise, the state on the last day on which the finding fired: new, open, acknowledged, muted or returned" }
severity = { type = "VARCHAR", doc = "severity of the finding when it last fired" }
rule = { type = "VARCHAR", doc = "name of the rule that fired" }
entity = { type = "VARCHAR", doc = "drive, station, host or other entity that the finding concerns" }
first_day = { type = "DATE", doc = "first site day on which the finding fired" }
last_day = { type = "DATE", doc = "last site day on which the finding fired" }
n_days = { type = "BIGINT", doc = "number of days on which the finding fired" }
gone_day = { type = "DATE", doc = "day from which the finding is gone: after the finding last fired, the first day for which the rules ran with enough logs. NULL if the finding is not gone" }
until_day = { type = "DATE", doc = "last site day on which the finding is muted; NULL if it is muted permanently, or not muted" }
note = { type = "VARCHAR", doc = "text of the newest note that a person left on the finding" }
text = { type = "VARCHAR", doc = "the finding as a sentence, from the last day on which it fired" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "upper limit of the drive-hours or station-hours that the finding cost on the last day on which it fired; NULL where its cost is not known" }
gain_gb_day = { type = "DOUBLE", unit = "GB/day", doc = "extra data per day that would move if the finding's cause were fixed, as of the last day on which it fired; NULL where the gain is not known" }
*/
WITH fired AS (
    SELECT finding_id, arg_max(state, day) AS state, arg_max(severity, day) AS severity, any_value(rule) AS rule,
           any_value(entity) AS entity, min(day) AS first_day, max(day) AS last_day, count(DISTINCT day) AS n_days,
           arg_max(text, (day, started_at)) AS text
    FROM gold.finding WHERE day <= $last_day GROUP BY finding_id
),
cost AS (
    SELECT finding_id, day, sum(lost_hours) AS lost_hours, sum(gain_gb_day) AS gain_gb_day
    FROM gold.finding WHERE day <= $last_day GROUP BY finding_id, day
),
gone AS (
    SELECT f.finding_id, min(d.day) AS gone_day
    FROM fired f JOIN ops.detection d ON d.day > f.last_day AND d.day <= $last_day
    -- a day with too few logs does not show that it is gone
    ANTI JOIN gold.suppressed_verdict w ON w.finding_id = f.finding_id AND w.day = d.day
    GROUP BY f.finding_id
),
marked AS (
    -- the last note, made with any kind of mark
    SELECT finding_id, arg_max(kind, number) FILTER (kind <> 'note') AS kind,
           arg_max({'day': until_day}, number) FILTER (kind <> 'note').day AS until_day, arg_max(note, number) AS note
    FROM ops.finding_mark WHERE day <= $last_day GROUP BY finding_id
)
SELECT f.finding_id, CASE WHEN g.gone_day IS NULL THEN f.state ELSE 'gone' END AS state, f.severity, f.rule, f.entity,
       f.first_day, f.last_day, f.n_days, g.gone_day, -- a mute that has ended does not count
       CASE WHEN s.kind = 'mute' AND s.until_day >= CASE WHEN g.gone_day IS NULL THEN f.last_day ELSE $last_day END
            THEN s.until_day END AS until_day, s.note,
       f.text, c.lost_hours, c.gain_gb_day
FROM fired f
JOIN cost c ON c.finding_id = f.finding_id AND c.day = f.last_day
LEFT JOIN gone g ON g.finding_id = f.finding_id
LEFT JOIN marked s ON s.finding_id = f.finding_id
ORDER BY g.gone_day IS NOT NULL, g.gone_day DESC,
         CASE f.severity WHEN 'critical' THEN 1 WHEN 'warning' THEN 2 ELSE 3 END, f.rule, f.entity
