/*
title = "Recorded change that is closest in time to a sudden change in a value"
why = "Returns the change that may explain a finding: of the changes in site.change that affected the finding's entity or the entire site, the one closest in time. If two changes are equally close, a change of the entity is preferred to a change of the entire site."

[params.since]
type = "TIMESTAMP"
doc = "earliest instant of a change, UTC"

[params.until]
type = "TIMESTAMP"
doc = "latest instant of a change, UTC"

[params.step_at]
type = "TIMESTAMP"
doc = "instant at which the value suddenly changed, UTC"

[params.names]
type = "VARCHAR[]"
doc = "names of the drives, stations, hosts and systems that the finding concerns"

[columns]
change_id = { type = "VARCHAR", doc = "id of the change, as in site.change" }
changed_at = { type = "TIMESTAMP", doc = "instant of the change, UTC" }
what = { type = "VARCHAR", doc = "what was changed" }
*/
SELECT change_id, changed_at, any_value(what) AS what
FROM site.change
WHERE problem IS NULL AND changed_at BETWEEN $since AND $until
  AND (entity IS NULL OR list_has_any(CAST($names AS VARCHAR[]), [entity, split_part(entity, '.', 1)]))
GROUP BY change_id, changed_at
ORDER BY abs(epoch(changed_at) - epoch(CAST($step_at AS TIMESTAMP))), bool_or(entity IS NULL), changed_at, change_id
LIMIT 1
