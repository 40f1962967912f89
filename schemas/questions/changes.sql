/*
title = "What was changed, and what moved?"
topic = "changes"
why = "Each change of the change log with rates and gaps before and after it, alike by tape and size of files. A change that moved nothing, and one of which nothing can be told, say so; so do entries that could not be read."

[params.last_day]
type = "DATE"
doc = "site day as of which is told; the last day with data if left out"

[params.n_days]
type = "BIGINT"
default = 35
doc = "days up to then whose changes are told"

[columns]
changed_at = { type = "TIMESTAMP", doc = "when, UTC; NULL for an entry that could not be read" }
what = { type = "VARCHAR", doc = "what was changed" }
entities = { type = "VARCHAR", doc = "what it touched; NULL for all of the site" }
measure = { type = "VARCHAR", doc = "rate (of large files, MB/s) or gap (between files, s); NULL where nothing was moved a week before or after" }
mode = { type = "VARCHAR", doc = "read or write" }
generation = { type = "VARCHAR", doc = "technology of the drives" }
before = { type = "DOUBLE", doc = "median before, in the measure's unit" }
after = { type = "DOUBLE", doc = "median after" }
ratio = { type = "DOUBLE", unit = "1", doc = "after / before, of what is alike" }
ratio_low = { type = "DOUBLE", unit = "1", doc = "low end of its 90 % interval" }
ratio_high = { type = "DOUBLE", unit = "1", doc = "high end" }
effect = { type = "DOUBLE", unit = "1", doc = "Cliff's delta, -1 to 1: how surely a value after is above one before" }
mix_shift = { type = "DOUBLE", unit = "1", doc = "share of values that would have to change tape or size class for before and after to be of the same mix" }
matched_by = { type = "VARCHAR", doc = "what was held alike" }
n_before = { type = "BIGINT", doc = "values before" }
n_after = { type = "BIGINT", doc = "values after" }
says = { type = "VARCHAR", doc = "the same in words, or why there is no estimate" }
note = { type = "VARCHAR", doc = "what else the change log says" }
place = { type = "VARCHAR", doc = "site.toml, or file and line" }
*/
WITH change AS (
    SELECT change_id, changed_at, what, string_agg(entity, ', ' ORDER BY entity) AS entities, any_value(note) AS note,
           min(place) AS place, problem
    FROM site.change GROUP BY change_id, changed_at, what, problem, CASE WHEN problem IS NOT NULL THEN place END
),
effect AS (
    -- as of the last day that told of the change: it is told of for some weeks only
    SELECT * FROM gold.change_effect WHERE day <= $last_day QUALIFY day = max(day) OVER (PARTITION BY change_id)
)
SELECT c.changed_at, c.what, c.entities, e.measure, e.mode, e.generation, e.before, e.after, e.ratio, e.ratio_low, e.ratio_high,
       e.effect, e.mix_shift, e.matched_by, e.n_before, e.n_after,
       CASE
           WHEN c.problem IS NOT NULL THEN 'not read: ' || c.problem
           WHEN e.change_id IS NULL THEN 'cannot estimate: nothing was moved a week before or after, or no day since was judged'
           WHEN e.reason_missing IS NOT NULL THEN 'cannot estimate: ' || e.reason_missing
           WHEN e.ratio_low <= 1 AND e.ratio_high >= 1
               THEN format('no change that can be told from chance ({:.2f} to {:.2f} times)', e.ratio_low, e.ratio_high)
           ELSE format('{:.2f} times the {} ({:.2f} to {:.2f})', e.ratio, e.measure, e.ratio_low, e.ratio_high)
       END AS says,
       c.note, c.place
FROM change c CROSS JOIN site.setting s LEFT JOIN effect e ON e.change_id = c.change_id
WHERE c.problem IS NOT NULL
   OR site_day(c.changed_at, s.zone) BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day
ORDER BY c.changed_at DESC NULLS FIRST, c.place, c.what, e.measure DESC, e.mode, e.generation
