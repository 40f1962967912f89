/*
title = "Drives that alternate between reading and writing"
topic = "drives"
why = "Where reads and writes share a drive, each change from one to the other displaces a tape. This shows what these changes cost, and how often the displaced tape had to be mounted again."
takes = ["first_day", "last_day", "drive"]

[params.came_back_h]
type = "BIGINT"
default = "6"
doc = "a displaced tape counts as having come back if it is mounted again, in the same mode, within this many hours after its dismount"

[columns]
drive = { type = "VARCHAR", doc = "drive" }
n_mounts = { type = "BIGINT", doc = "number of the drive's mounts in which files moved and whose tape a log names" }
n_read = { type = "BIGINT", doc = "number of mounts that only read" }
n_write = { type = "BIGINT", doc = "number of mounts that only wrote" }
n_mixed = { type = "BIGINT", doc = "number of mounts that both read and wrote" }
n_turns = { type = "BIGINT", doc = "number of changes of mode. A change is a pair of consecutive mounts: one only read, the other only wrote" }
turn_share = { type = "DOUBLE", unit = "1", doc = "n_turns / number of pairs of consecutive mounts in the drive. Pairs with a mount that both read and wrote do not count" }
turn_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours that changes of mode cost: dismounting the displaced tape and mounting the next one. A time that no log shows counts as 0" }
n_came_back = { type = "BIGINT", doc = "number of displaced tapes that were mounted again within came_back_h hours. The new mount may be in any drive, but must have the same mode as before" }
least_back_h = { type = "DOUBLE", unit = "h", doc = "shortest time from the start of a displaced tape's dismount to the request of the new mount, among the tapes counted in n_came_back" }
*/
WITH mount AS (
    SELECT r.system, r.drive, r.volume, r.mode, coalesce(r.requested_at, r.begun_at) AS requested_at, s.mount_s, s.dismount_s, s.dismount_at, r.site_day AS day
    FROM gold.mount r
    JOIN silver.session s ON s.system = r.system AND s.session_id = r.session_id
    WHERE near_days(r.site_day, $first_day, $last_day) AND r.mode IS NOT NULL AND r.volume IS NOT NULL
),
following AS (
    SELECT *, lag(mode) OVER last AS mode_before, lag(volume) OVER last AS volume_before,
           lag(dismount_s) OVER last AS dismount_before_s, lag(coalesce(dismount_at, requested_at)) OVER last AS gone_at
    FROM mount WHERE day <= $last_day
    WINDOW last AS (PARTITION BY system, drive ORDER BY requested_at)
),
turned AS (
    SELECT b.*, (b.mode = 'read' AND b.mode_before = 'write') OR (b.mode = 'write' AND b.mode_before = 'read') AS is_turn,
           (SELECT min(o.requested_at) FROM mount o
            WHERE o.system = b.system AND o.volume = b.volume_before AND o.mode = b.mode_before
              AND o.requested_at > b.gone_at AND o.requested_at <= b.gone_at + to_hours(CAST($came_back_h AS BIGINT)))
               AS back_at
    FROM following b
    WHERE b.day BETWEEN $first_day AND $last_day AND $drive IN ('', b.drive)
)
SELECT drive, count(*) AS n_mounts, count(*) FILTER (mode = 'read') AS n_read, count(*) FILTER (mode = 'write') AS n_write,
       count(*) FILTER (mode = 'mixed') AS n_mixed, count(*) FILTER (is_turn) AS n_turns,
       count(*) FILTER (is_turn) / nullif(count(*) FILTER (mode <> 'mixed' AND mode_before <> 'mixed'), 0) AS turn_share,
       coalesce(sum(CAST(round(1e6 * (coalesce(dismount_before_s, 0) + coalesce(mount_s, 0))) AS BIGINT))
                    FILTER (is_turn), 0) / 3600e6 AS turn_hours,
       count(back_at) FILTER (is_turn) AS n_came_back,
       min(date_diff('microsecond', gone_at, back_at)) FILTER (is_turn) / 3600e6 AS least_back_h
FROM turned
GROUP BY drive
ORDER BY turn_hours DESC, drive
