/*
title = "The change nearest to a step"
why = "The change that may explain a finding: the nearest entry of the change log that affects its entity. An entry that names the entity precedes one for the complete site at the same distance."

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
doc = "drives, stations, hosts and systems of the finding, separated by commas"

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
