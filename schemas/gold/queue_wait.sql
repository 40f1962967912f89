/*
title = "Waits of requests while a drive was free"
grain = "one row per storage group, mode of the requests, and site day on which a drive took them"
why = "A request may wait because all drives are busy or its tape is in a drive (demand), or because its mount policy requires a given age (a choice). For the time in free_drive_s there is no such reason: a free drive could have served the request."
partition = "month"
features = ["D11"]

[columns]
day = { type = "DATE", doc = "site day on which a drive took the requests (assigned_at in silver.request)" }
storage_group = { type = "VARCHAR", doc = "storage group (owner of the files, e.g. an experiment); for CTA the virtual organisation" }
mode = { type = "VARCHAR", doc = "read or write" }
from_at = { type = "TIMESTAMP", doc = "start of the site day, UTC" }
n_requests = { type = "BIGINT", doc = "number of requests that a drive took that day; only requests that have a mount policy count" }
n_of_mounts = { type = "BIGINT", doc = "number of CTA mounts that n_requests counts as one request each. No log of CTA's frontend shows the single requests of these mounts. The wait of such a mount is the wait of its oldest file" }
waited_s = { type = "DOUBLE", unit = "s", doc = "total wait of the requests counted in n_requests; each wait lasts from when the request was queued until a drive took it" }
overdue_s = { type = "DOUBLE", unit = "s", doc = "part of waited_s that came after the request had reached the age at which its mount policy mounts a tape" }
free_drive_s = { type = "DOUBLE", unit = "s", doc = "part of overdue_s in which a free drive could have served the request. Two conditions hold: logs show a free drive of the kind that later served the request, and the request's tape was in no drive. Only the last 24 hours of each wait count" }

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "waited_s"
column_B = "overdue_s"
or_equal = true
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "overdue_s"
column_B = "free_drive_s"
or_equal = true
severity = "critical"
*/
WITH served AS (
    SELECT system, unique_id, session_id, drive
    FROM (SELECT system, unique_id, transfer_id, session_id, drive, started_at FROM silver.transfer
          UNION ALL SELECT system, session_id, session_id, session_id, drive, from_at FROM silver.session)
    WHERE unique_id IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY system, unique_id ORDER BY started_at, transfer_id) = 1
),
mount AS (
    SELECT system, session_id, from_at,
           CASE WHEN volume IS NOT NULL THEN lag(to_at) OVER (PARTITION BY system, volume ORDER BY from_at, session_id) END AS free_at
    FROM silver.session
),
request AS (
    SELECT r.system, r.request_id, r.storage_group, r.mode, r.is_of_mount, r.queued_at, r.due_at, r.assigned_at,
           o.drive, o.generation, greatest(r.due_at, m.free_at, r.assigned_at - INTERVAL 1 DAY) AS from_at,
           least(r.assigned_at, m.from_at) AS to_at
    FROM silver.request r
    LEFT JOIN served t ON t.system = r.system AND t.unique_id = r.request_id
    LEFT JOIN site.drive o ON o.drive = t.drive
    LEFT JOIN mount m ON m.system = t.system AND m.session_id = t.session_id
    WHERE r.due_at IS NOT NULL AND r.assigned_at >= r.queued_at
),
-- when a drive of a kind was free: in service, logged, and in no state
serving AS (
    SELECT l.drive, greatest(l.from_at, day_begin(o.since_day, c.zone)) AS from_at,
           least(l.to_at, day_begin(o.until_day, c.zone)) AS to_at
    FROM silver.drive_coverage l JOIN site.drive o ON o.drive = l.drive CROSS JOIN site.setting c
),
edge AS (
    SELECT drive, edge_at, sum(logging) AS logging, sum(stated) AS stated
    FROM (SELECT drive, from_at AS edge_at, 1 AS logging, 0 AS stated FROM serving WHERE to_at > from_at
          UNION ALL SELECT drive, to_at, -1, 0 FROM serving WHERE to_at > from_at
          UNION ALL SELECT drive, from_at, 0, 1 FROM silver.drive_state
          UNION ALL SELECT drive, to_at, 0, -1 FROM silver.drive_state)
    GROUP BY drive, edge_at
    HAVING sum(logging) <> 0 OR sum(stated) <> 0  -- most states follow upon each other
),
stretch AS (
    SELECT drive, edge_at AS from_at, lead(edge_at) OVER w AS to_at, sum(logging) OVER w AS logging, sum(stated) OVER w AS stated
    FROM edge WINDOW w AS (PARTITION BY drive ORDER BY edge_at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
),
free AS (
    SELECT o.system, o.generation, s.from_at, s.to_at,
           max(s.to_at) OVER (PARTITION BY o.system, o.generation ORDER BY s.from_at, s.to_at
                              ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before_at
    FROM stretch s JOIN site.drive o ON o.drive = s.drive
    WHERE s.logging > 0 AND s.stated = 0 AND s.to_at > s.from_at
),
island AS (
    SELECT system, generation, from_at, to_at,
           sum(CASE WHEN before_at >= from_at THEN 0 ELSE 1 END)
               OVER (PARTITION BY system, generation ORDER BY from_at, to_at ROWS UNBOUNDED PRECEDING) AS n
    FROM free
),
any_free AS (
    SELECT system, generation, min(from_at) AS from_at, max(to_at) AS to_at FROM island GROUP BY system, generation, n
),
overlap AS (
    SELECT r.system, r.request_id,
           sum(date_diff('microsecond', greatest(r.from_at, f.from_at), least(r.to_at, f.to_at))) AS us
    FROM request r
    JOIN any_free f ON f.system = r.system AND f.generation IS NOT DISTINCT FROM r.generation
        AND f.from_at < r.to_at AND f.to_at > r.from_at
    WHERE r.drive IS NOT NULL AND r.to_at > r.from_at
    GROUP BY r.system, r.request_id
)
SELECT site_day(r.assigned_at, c.zone) AS day, r.storage_group, r.mode, day_begin(site_day(r.assigned_at, c.zone), c.zone) AS from_at,
       count(*) AS n_requests,
       count(*) FILTER (r.is_of_mount) AS n_of_mounts,
       CAST(sum(date_diff('microsecond', r.queued_at, r.assigned_at)) AS BIGINT) / 1e6 AS waited_s,
       CAST(sum(greatest(date_diff('microsecond', r.due_at, r.assigned_at), 0)) AS BIGINT) / 1e6 AS overdue_s,
       CAST(coalesce(sum(o.us), 0) AS BIGINT) / 1e6 AS free_drive_s
FROM request r
LEFT JOIN overlap o ON o.system = r.system AND o.request_id = r.request_id
CROSS JOIN site.setting c
GROUP BY ALL
