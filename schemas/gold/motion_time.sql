/*
title = "Time for mounts, file marks, tape motion, waits and checksums, by station"
grain = "one row per drive, site day, station, mode and cause (what the drive spent the time on)"
why = "Shows for which stations drives spent time on mounts, file marks, tape motion, checksums and waits. Waits include drain: the tape has left the drive, but its data are not yet on disk. If a drive serves many stations, scattered files of one station may cost most of the time, even if most bytes belong to another station."
partition = "month"
features = ["G1"]

[columns]
day = { type = "DATE", doc = "site day on which the step (such as a mount) began. For waits and checksums: site day on which the transfer of the file began" }
drive = { type = "VARCHAR", doc = "drive" }
station = { type = "VARCHAR", doc = "station for which most bytes of the mount were moved. For waits and checksums: the station of the file. NULL where no data moved, and where no log shows the station" }
mode = { type = "VARCHAR", doc = "read or write: the mode of most of the station's bytes in the mount. For waits and checksums: the mode of the file. NULL where no data moved, and where no log shows the mode" }
cause = { type = "VARCHAR", doc = "what the drive spent the time on. Outside transfers: filemark, position, mount (mount and dismount) or drain (tape gone, data not yet on disk). During transfers: wait_data, wait_room or checksum" }
duration_us = { type = "BIGINT", unit = "us", doc = "time spent on the cause, in microseconds" }
lost_us = { type = "BIGINT", unit = "us", doc = "extra time, in microseconds: for each step (such as one mount), the time beyond the 10th percentile of such steps that day. The percentile is computed over drives of the same kind or, if the kind is not known, over the same drive. Mounts are compared with mounts, dismounts with dismounts. For drain, waits and checksums, lost_us equals duration_us" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "drive", "station", "mode", "cause"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "duration_us"
column_B = "lost_us"
or_equal = true
severity = "critical"
*/
WITH motion AS (
    -- drives of unknown kind may be of different kinds: each is its own standard
    SELECT site_day(s.from_at, c.zone) AS day, s.system, s.drive, s.session_id,
           coalesce(d.generation, 'drive ' || s.drive) AS kind, s.state,
           CASE s.state WHEN 'dismount' THEN 'mount' ELSE s.state END AS cause,
           date_diff('microsecond', s.from_at, s.to_at) AS us
    FROM silver.drive_state s
    LEFT JOIN site.drive d ON d.drive = s.drive
    CROSS JOIN site.setting c
    WHERE s.state IN ('filemark', 'position', 'mount', 'dismount', 'drain') AND s.to_at > s.from_at
),
best AS (
    SELECT day, kind, state, CASE state WHEN 'drain' THEN 0 ELSE quantile_disc(us, 0.1) END AS us
    FROM motion GROUP BY day, kind, state
),
asker AS (
    SELECT system, session_id, station, mode
    FROM (SELECT system, session_id, station, mode, sum(bytes) AS bytes,
                 sum(sum(bytes)) OVER (PARTITION BY system, session_id, station) AS station_bytes
          FROM gold.tape_traffic WHERE session_id IS NOT NULL GROUP BY system, session_id, station, mode)
    QUALIFY row_number() OVER (PARTITION BY system, session_id ORDER BY station_bytes DESC, station, bytes DESC, mode) = 1
)
SELECT m.day, m.drive, a.station, a.mode, m.cause, CAST(sum(m.us) AS BIGINT) AS duration_us,
       CAST(sum(greatest(m.us - b.us, 0)) AS BIGINT) AS lost_us
FROM motion m
JOIN best b ON b.day = m.day AND b.state = m.state AND b.kind = m.kind
LEFT JOIN asker a ON a.system = m.system AND a.session_id = m.session_id
GROUP BY m.day, m.drive, a.station, a.mode, m.cause
UNION ALL
SELECT day, drive, station, mode, cause, CAST(sum(us) AS BIGINT), CAST(sum(us) AS BIGINT)
FROM (SELECT site_day(t.started_at, c.zone) AS day, t.drive, t.station, t.mode,
             unnest(['wait_data', 'wait_room', 'checksum']) AS cause,
             CAST(1e6 * unnest([t.wait_data_s, t.wait_buffer_s, t.checksum_s]) AS BIGINT) AS us
      FROM silver.transfer t CROSS JOIN site.setting c)
WHERE us > 0 AND drive IS NOT NULL AND day IS NOT NULL GROUP BY ALL
