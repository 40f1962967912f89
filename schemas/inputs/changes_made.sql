/*
title = "Changes and the entities they affected"
why = "The changes whose effects are estimated: the newest of the change log, and those of the week before, so that their effect does not count for another."

[params.begin]
type = "TIMESTAMP"
doc = "first instant, UTC"

[params.end]
type = "TIMESTAMP"
doc = "instant after the last, UTC"

[columns]
change_id = { type = "VARCHAR", doc = "as in site.change" }
changed_at = { type = "TIMESTAMP", doc = "when, UTC" }
entities = { type = "VARCHAR[]", doc = "drives, stations, hosts and systems it affected; NULL for the complete site" }
*/
SELECT change_id, changed_at, list(entity ORDER BY entity) FILTER (entity IS NOT NULL) AS entities
FROM site.change
WHERE problem IS NULL AND changed_at >= $begin - INTERVAL 7 DAY AND changed_at < $end
GROUP BY change_id, changed_at
ORDER BY changed_at DESC, change_id
LIMIT 200  -- each costs some resampling
