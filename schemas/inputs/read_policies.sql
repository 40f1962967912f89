/*
title = "The least age from which reads were worth a mount"
why = "The adviser on mounts runs the recorded days again under the policy that they had."
takes = ["last_day"]

[params.n_days]
type = "BIGINT"
default = "7"
doc = "site days that end with it"

[columns]
min_age_s = { type = "DOUBLE", unit = "s", doc = "least age of the mount policy of a request, as its frontend logged it" }
n_requests = { type = "BIGINT", doc = "requests with it" }
*/
SELECT date_diff('microsecond', q.queued_at, q.due_at) / 1e6 AS min_age_s, count(*) AS n_requests
FROM silver.request q CROSS JOIN site.setting c
WHERE q.mode = 'read' AND q.due_at IS NOT NULL AND NOT q.is_of_mount
  AND near_days(q.day, $last_day - CAST($n_days AS INTEGER) + 1, $last_day)
  AND in_days(q.queued_at, $last_day - CAST($n_days AS INTEGER) + 1, $last_day, c.zone)
GROUP BY 1
ORDER BY n_requests DESC, min_age_s
