/*
title = "Failed mounts before and after each change"
topic = "changes"
why = "Compares the failed mounts of the affected drives before and after each change. A limit that was right before a change may be wrong afterwards. For example, a retry time may then be shorter than a rewind."
takes = ["first_day", "last_day"]

[params.n_days]
type = "BIGINT"
default = "7"
doc = "number of days compared: this many days before each change, and this many days after it"

[columns]
changed_at = { type = "TIMESTAMP", doc = "instant of the change, UTC" }
what = { type = "VARCHAR", doc = "what was changed" }
entities = { type = "VARCHAR", doc = "drives, mover hosts and archive systems that the change affected; NULL for a change of the entire site" }
n_before = { type = "BIGINT", doc = "number of mounts requested on the affected drives in the n_days days before the change. A change of a mover host, archive system or site affects all of its drives" }
failed_before = { type = "BIGINT", doc = "number of failed mounts among those counted in n_before" }
n_after = { type = "BIGINT", doc = "number of mounts requested on the affected drives in the n_days days from the change on" }
failed_after = { type = "BIGINT", doc = "number of failed mounts among those counted in n_after" }
share_before = { type = "DOUBLE", unit = "1", doc = "failed mounts / requested mounts, before the change" }
share_after = { type = "DOUBLE", unit = "1", doc = "failed mounts / requested mounts, after the change" }
is_worse = { type = "BOOLEAN", doc = "true if at least three mounts failed after the change, and share_after is at least three times share_before; NULL with fewer than 10 mounts before or after" }
*/
WITH touched AS (
    SELECT g.change_id, g.changed_at, g.what, g.entity, d.drive
    FROM site.change g CROSS JOIN site.setting c
    JOIN site.drive d ON g.entity IS NULL OR g.entity IN (d.drive, d.mover_host, d.system)
    WHERE g.problem IS NULL
      AND in_days(g.changed_at, $first_day, $last_day, c.zone)
),
whom AS (
    SELECT change_id, changed_at, what, drive, string_agg(DISTINCT entity, ' ' ORDER BY entity) AS entity
    FROM touched GROUP BY change_id, changed_at, what, drive
),
counted AS (
    SELECT w.change_id, w.changed_at, w.what, s.drive, s.status = 'mount_failed' AS is_failed, s.from_at >= w.changed_at AS is_after
    FROM whom w
    JOIN silver.session s ON s.drive = w.drive AND s.witnesses IS DISTINCT FROM 'counter'  -- no mounts
        AND s.from_at >= w.changed_at - to_days(CAST($n_days AS INTEGER))
        AND s.from_at < w.changed_at + to_days(CAST($n_days AS INTEGER))
),
summed AS (
    SELECT change_id, changed_at, what, count(*) FILTER (NOT is_after) AS n_before,
           count(*) FILTER (NOT is_after AND is_failed) AS failed_before, count(*) FILTER (is_after) AS n_after,
           count(*) FILTER (is_after AND is_failed) AS failed_after
    FROM counted GROUP BY change_id, changed_at, what
),
named AS (
    SELECT change_id, string_agg(DISTINCT entity, ' ' ORDER BY entity) AS entities FROM touched GROUP BY change_id
)
SELECT s.changed_at, s.what, n.entities, s.n_before, s.failed_before, s.n_after, s.failed_after,
       s.failed_before / nullif(s.n_before, 0) AS share_before, s.failed_after / nullif(s.n_after, 0) AS share_after,
       CASE WHEN least(s.n_before, s.n_after) >= 10
            THEN s.failed_after >= 3 AND s.failed_after * s.n_before >= 3 * s.failed_before * s.n_after END AS is_worse
FROM summed s JOIN named n ON n.change_id = s.change_id
ORDER BY s.changed_at, s.what
