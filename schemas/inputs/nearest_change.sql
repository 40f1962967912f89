/*
title = "The change nearest to a step"
why = "What may explain a finding: the entry of the change log, nearest in time, that touches what the finding is about. One that names it goes before one of all the site at the same distance."

[params.since]
type = "TIMESTAMP"
doc = "first instant, UTC"

[params.until]
type = "TIMESTAMP"
doc = "last instant, UTC"

[params.step_at]
type = "TIMESTAMP"
doc = "instant of the step, UTC"

[params.names]
type = "VARCHAR[]"
doc = "drives, stations, hosts and systems that it is about, with commas between them"

[columns]
change_id = { type = "VARCHAR", doc = "as in site.change" }
changed_at = { type = "TIMESTAMP", doc = "when, UTC" }
what = { type = "VARCHAR", doc = "what was changed" }
*/
SELECT change_id, changed_at, any_value(what) AS what
FROM site.change
WHERE problem IS NULL AND changed_at BETWEEN $since AND $until
  AND (entity IS NULL OR list_has_any(CAST($names AS VARCHAR[]), [entity, split_part(entity, '.', 1)]))
GROUP BY change_id, changed_at
ORDER BY abs(epoch(changed_at) - epoch(CAST($step_at AS TIMESTAMP))), bool_or(entity IS NULL), changed_at, change_id
LIMIT 1
