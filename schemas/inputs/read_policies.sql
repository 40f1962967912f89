/*
title = "Mount policies of reads: age that requests must reach"
why = "Lists the mount policies that applied to reads in the period, for the simulation that replays the work of the period."
takes = ["last_day"]

[params.n_days]
type = "BIGINT"
default = "7"
doc = "number of site days in the period that ends with last_day"

[columns]
min_age_s = { type = "DOUBLE", unit = "s", doc = "age that a request must reach before its mount policy allows a mount (CTA's least age)" }
n_requests = { type = "BIGINT", doc = "number of read requests whose policy requires this age" }
*/
SELECT date_diff('microsecond', q.queued_at, q.due_at) / 1e6 AS min_age_s, count(*) AS n_requests
FROM silver.request q CROSS JOIN site.setting c
WHERE q.mode = 'read' AND q.due_at IS NOT NULL AND NOT q.is_of_mount
  AND near_days(q.day, $last_day - CAST($n_days AS INTEGER) + 1, $last_day)
  AND in_days(q.queued_at, $last_day - CAST($n_days AS INTEGER) + 1, $last_day, c.zone)
GROUP BY 1
ORDER BY n_requests DESC, min_age_s
