/*
title = "Changes and the entities that they affected"
why = "Lists up to 200 changes from site.toml and its change log, newest first, to estimate their effects. Changes in the week before the period are also listed, so that their effects are not attributed to later changes."

[params.begin]
type = "TIMESTAMP"
doc = "start of the period, UTC"

[params.end]
type = "TIMESTAMP"
doc = "end of the period, exclusive, UTC"

[columns]
change_id = { type = "VARCHAR", doc = "id of the change, as in site.change" }
changed_at = { type = "TIMESTAMP", doc = "instant of the change, UTC" }
entities = { type = "VARCHAR[]", doc = "drives, stations, hosts and systems that the change affected; NULL for a change that affected the entire site" }
*/
SELECT change_id, changed_at, list(entity ORDER BY entity) FILTER (entity IS NOT NULL) AS entities
FROM site.change
WHERE problem IS NULL AND changed_at >= $begin - INTERVAL 7 DAY AND changed_at < $end
GROUP BY change_id, changed_at
ORDER BY changed_at DESC, change_id
LIMIT 200  -- each costs some resampling
