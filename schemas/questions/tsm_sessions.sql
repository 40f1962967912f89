/*
title = "TSM's sessions"
topic = "requests"
why = "Shows how much data each client node or server process moved through the TSM server, how fast, and for which share of the time the server waited for tapes or for the client."
takes = ["first_day", "last_day"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
activity = { type = "VARCHAR", doc = "what the session did, as TSM names it, e.g. ARCHIVE, RETRIEVE, BACKUP, RESTORE, MIGRATION, RECLAMATION or FULL_DBBACKUP" }
entity = { type = "VARCHAR", doc = "client node (registered client) of the session, or storage pool (group of volumes) of the server process; NULL for a process that only the activity log shows" }
n_sessions = { type = "BIGINT", doc = "number of sessions that started in the period and have ended; server processes count as sessions" }
n_not_ok = { type = "BIGINT", doc = "number of sessions among n_sessions that failed, or in which single objects failed" }
moved_gb = { type = "DOUBLE", unit = "GB", doc = "data that the sessions moved" }
shared_gb = { type = "DOUBLE", unit = "GB", doc = "part of moved_gb that cannot be assigned to a mount. These bytes belong to sessions that used several tapes in one direction, or a tape whose mount is not known. NULL without an activity log of the period: only this log shows which tapes a session used" }
hours = { type = "DOUBLE", unit = "h", doc = "sum of the sessions' durations" }
overall_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / duration, over all sessions together; waits are included" }
media_wait_share = { type = "DOUBLE", unit = "1", doc = "time in which the server waited for tapes / duration of the sessions. Parallel processes may wait at the same time, so the share is capped at 1" }
idle_share = { type = "DOUBLE", unit = "1", doc = "time in which the server waited for the client / duration of the sessions, at most 1" }
*/
SELECT s.system, s.activity, s.entity, count(*) AS n_sessions,
       count(*) FILTER (NOT coalesce(s.is_successful, TRUE) OR s.n_failed > 0) AS n_not_ok,
       coalesce(CAST(sum(s.bytes) AS DOUBLE) / 1e9, 0) AS moved_gb,
       CASE WHEN bool_or(l.host IS NOT NULL)
            THEN coalesce(CAST(sum(s.bytes) FILTER (u.number IS NOT NULL) AS DOUBLE) / 1e9, 0) END AS shared_gb, sum(s.took_s) / 3600 AS hours,
       CAST(sum(s.bytes) AS DOUBLE) / nullif(sum(s.took_s), 0) / 1e6 AS overall_mb_s,
       CASE WHEN sum(s.media_wait_s) > sum(s.took_s) AND sum(s.took_s) > 0 THEN 1
            ELSE sum(s.media_wait_s) / nullif(sum(s.took_s), 0) END AS media_wait_share,
       CASE WHEN sum(s.idle_s) > sum(s.took_s) AND sum(s.took_s) > 0 THEN 1
            ELSE sum(s.idle_s) / nullif(sum(s.took_s), 0) END AS idle_share
FROM silver.tsm_session s CROSS JOIN site.setting c
LEFT JOIN (SELECT DISTINCT system, activity, task, number, began_at FROM silver.tsm_transfer WHERE bytes IS NULL) u
    ON u.system = s.system AND u.activity = s.activity AND u.task = s.task AND u.number = s.number AND u.began_at = s.started_at
LEFT JOIN (SELECT DISTINCT host FROM silver.log_coverage WHERE source = 'tsm_actlog' AND near_days(day, $first_day, $last_day)) l
    ON l.host = s.system
WHERE near_days(s.day, $first_day, $last_day)
  AND in_days(s.started_at, $first_day, $last_day, c.zone)
  AND s.took_s IS NOT NULL
GROUP BY s.system, s.activity, s.entity
ORDER BY s.system, moved_gb DESC, s.activity, s.entity
