/*
title = "What changed, and with what effect?"
topic = "changes"
why = "Compares rates and gaps before and after each change listed in site.toml or its change log. Rates are compared for the same tapes and file sizes (or only the same file sizes), gaps for the same drives. The summary marks changes without a measurable effect, changes that cannot be judged, and unreadable entries."

[params.last_day]
type = "DATE"
doc = "report the state as of this site day; default: the last day with data"

[params.n_days]
type = "BIGINT"
default = 35
doc = "number of days, up to and including last_day, whose changes are listed. Entries that could not be read are always listed"

[columns]
changed_at = { type = "TIMESTAMP", doc = "instant of the change, UTC; NULL for an entry that could not be read" }
what = { type = "VARCHAR", doc = "what was changed; for an entry that could not be read, its text" }
entities = { type = "VARCHAR", doc = "drives, stations, hosts and systems that the change affected; NULL for a change that affected the entire site, and for an entry that could not be read" }
measure = { type = "VARCHAR", doc = "what is compared: rate (of large files, MB/s) or gap (between files, s); NULL where nothing could be compared (see summary)" }
mode = { type = "VARCHAR", doc = "read or write" }
generation = { type = "VARCHAR", doc = "technology of the drives; NULL where site.toml does not name it" }
before = { type = "DOUBLE", doc = "median of the measure in the week before the change: MB/s for rates, s for gaps. If an earlier change in that week affected one of the same entities, only the time since that change counts. A change of the entire site affects all entities. NULL where n_before is 0" }
after = { type = "DOUBLE", doc = "median of the measure in the week after the change: MB/s for rates, s for gaps. If a further change in that week affected one of the same entities, only the time until that change counts. A change of the entire site affects all entities. NULL where n_after is 0" }
ratio = { type = "DOUBLE", unit = "1", doc = "measure after the change / measure before the change, computed only from values of the same tape and size, the same size, or the same drive (see matched_by). Where matched_by is NULL: the ratio of the medians, `after` / `before`" }
ratio_low = { type = "DOUBLE", unit = "1", doc = "low end of the ratio's 90 % interval" }
ratio_high = { type = "DOUBLE", unit = "1", doc = "high end of the ratio's 90 % interval" }
effect = { type = "DOUBLE", unit = "1", doc = "Cliff's delta: how the values after the change compare with the values before. 1: every value after the change is larger than every value before. -1: every value after the change is smaller than every value before. 0: larger and smaller values are equally frequent. NULL where matched_by is NULL" }
mix_shift = { type = "DOUBLE", unit = "1", doc = "how much the mix of values changed. For rates: the mix of file sizes or, if matched_by is `tape and size`, of tapes and file sizes. For gaps: the mix of drives. 0: the same mix before and after the change. 1: nothing in common. NULL where n_before or n_after is 0" }
matched_by = { type = "VARCHAR", doc = "what the compared values before and after the change have in common. Rates: `tape and size`, or only `size` if too few values have the same tape. Gaps: `drive`. NULL if too few values have this in common" }
n_before = { type = "BIGINT", doc = "number of rates or gaps of which `before` is the median" }
n_after = { type = "BIGINT", doc = "number of rates or gaps of which `after` is the median" }
summary = { type = "VARCHAR", was = "says", doc = "the result as a sentence, or why there is no estimate" }
note = { type = "VARCHAR", doc = "further text of the entry" }
place = { type = "VARCHAR", doc = "where the entry is: site.toml, or file and line of the change log" }
*/
WITH change AS (
    SELECT change_id, changed_at, what, string_agg(entity, ', ' ORDER BY entity) AS entities, any_value(note) AS note,
           min(place) AS place, problem
    FROM site.change GROUP BY change_id, changed_at, what, problem, CASE WHEN problem IS NOT NULL THEN place END
),
effect AS (
    -- as of the last day that reported the change, which is reported for some weeks only
    SELECT * FROM gold.change_effect WHERE day <= $last_day QUALIFY day = max(day) OVER (PARTITION BY change_id)
)
SELECT c.changed_at, c.what, c.entities, e.measure, e.mode, e.generation, e.before, e.after, e.ratio, e.ratio_low, e.ratio_high,
       e.effect, e.mix_shift, e.matched_by, e.n_before, e.n_after,
       CASE
           WHEN c.problem IS NOT NULL THEN 'not read: ' || c.problem
           WHEN e.change_id IS NULL THEN 'cannot estimate: no rate of a large file and no gap is known for the weeks before and after the change, or `tapescope detect` has not run for any of the 35 days from the change on'
           WHEN e.reason_missing IS NOT NULL THEN 'cannot estimate: ' || e.reason_missing
           WHEN e.ratio_low <= 1 AND e.ratio_high >= 1
               THEN format('no change that can be distinguished from chance ({:.2f} to {:.2f} times)', e.ratio_low, e.ratio_high)
           ELSE format('{:.2f} times the earlier {} ({:.2f} to {:.2f})', e.ratio, e.measure, e.ratio_low, e.ratio_high)
       END AS summary,
       c.note, c.place
FROM change c CROSS JOIN site.setting s LEFT JOIN effect e ON e.change_id = c.change_id
WHERE c.problem IS NOT NULL
   OR site_day(c.changed_at, s.zone) BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day
ORDER BY c.changed_at DESC NULLS FIRST, c.place, c.what, e.measure DESC, e.mode, e.generation
