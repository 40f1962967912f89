/*
title = "Drive time spent on mounting and tape motion, by data set"
topic = "mounts"
why = "A data set that is spread over many tapes, or requested file by file, costs drive-hours of mounting and tape motion. The most expensive data set comes first."
takes = ["first_day", "last_day", "group"]

[params.hours]
type = "DOUBLE"
default = "24"
doc = "a mount counts as a remount if its tape was in a drive at most this many hours earlier"

[params.depth]
type = "BIGINT"
default = "4"
doc = "number of leading directories of a file's path that identify its data set"

[columns]
system = { type = "VARCHAR", doc = "archive system" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment; for CTA the virtual organisation" }
file_family = { type = "VARCHAR", doc = "file family: files that share tapes, e.g. one data set; for CTA the tape pool" }
directory = { type = "VARCHAR", doc = "leading directories of the files' paths, which identify the data set. Paths come from an export of the file table or a list of the tape's files; for CTA, from the URLs of reads and writes. NULL where no log has a path, and for files that are in no directory" }
mode = { type = "VARCHAR", doc = "read or write" }
n_mounts = { type = "BIGINT", doc = "number of mounts in which files of the data set moved" }
n_remounts = { type = "BIGINT", doc = "number of mounts in n_mounts that were remounts: the tape had been in a drive at most `hours` hours (parameter) earlier" }
n_volumes = { type = "BIGINT", doc = "number of tapes mounted for the data set" }
n_files = { type = "BIGINT", doc = "number of files moved completely; a file that moved twice counts twice" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "data of the data set that was read from or written to tape" }
files_per_mount = { type = "DOUBLE", unit = "1", doc = "n_files / n_mounts" }
gb_per_mount = { type = "DOUBLE", unit = "GB", doc = "volume_gb / n_mounts" }
mounting_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours of mounting and dismounting for the data set. If a mount moved files of several data sets, its time is divided in proportion to the numbers of files. NULL if no log shows these times" }
tape_motion_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours of tape motion to files of the data set. NULL if no log shows the steps of the data set's mounts" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "mounting_hours + tape_motion_hours; a NULL in mounting_hours counts as 0. NULL where tape_motion_hours is NULL" }
*/
WITH sat AS (
    SELECT system, session_id, coalesce(mount_s + dismount_s, mount_s, dismount_s) AS mounting_s,
           volume IS NOT NULL AND date_diff('microsecond', lag(to_at) OVER tape, from_at) <= 3600e6 * $hours AS is_remount
    FROM silver.session
    WHERE status <> 'mount_failed' AND near_days(day, $first_day - CAST(ceil($hours / 24) AS INTEGER) - 1, $last_day + 1)
    WINDOW tape AS (PARTITION BY system, volume ORDER BY from_at, session_id)
),
wound AS (
    SELECT system, next_transfer_id, position_s FROM silver.gap
    WHERE near_days(day, $first_day - 1, $last_day + 1) AND position_s > 0
),
named AS (
    SELECT t.system, t.session_id, t.transfer_id, t.started_at, t.storage_group, t.file_family, t.mode, t.volume, t.bytes,
           string_split(trim(v.path, '/'), '/') AS names, coalesce(w.position_s, 0) AS position_s
    FROM silver.transfer t
    LEFT JOIN wound w ON w.system = t.system AND w.next_transfer_id = t.transfer_id
    LEFT JOIN silver.volume_file v
        ON v.system = t.system AND v.volume = t.volume AND v.file_number = t.file_number
    WHERE t.status = 'ok' AND near_days(t.day, $first_day - 1, $last_day + 1)
),
-- a mount's files of one data set: all that follows has a row per mount, not per file
part AS (
    SELECT system, session_id, storage_group, file_family,
           CASE WHEN len(names) > 1 AND $depth > 0
                THEN '/' || array_to_string(names[:least($depth, len(names) - 1)], '/') END AS directory,
           mode, volume, count(*) AS n_files, sum(bytes) AS bytes, sum(position_s) AS position_s,
           min((started_at, transfer_id)) AS first_file
    FROM named GROUP BY system, session_id, storage_group, file_family, directory, mode, volume
),
moved AS (
    SELECT p.* EXCLUDE (position_s, first_file), s.is_remount,
           s.mounting_s * p.n_files / sum(p.n_files) OVER mount AS mounting_s,
           -- a mount's motion outside gaps led to its first file; a log without any step of the mount shows no motion
           CASE WHEN s.mounting_s IS NOT NULL OR m.position_s > 0
                THEN p.position_s + CASE WHEN p.first_file = min(p.first_file) OVER mount
                                         THEN m.position_s - sum(p.position_s) OVER mount ELSE 0 END END AS position_s
    FROM part p
    JOIN gold.mount m ON m.system = p.system AND m.session_id = p.session_id
        AND m.site_day BETWEEN $first_day AND $last_day
    JOIN sat s ON s.system = p.system AND s.session_id = p.session_id
    WINDOW mount AS (PARTITION BY p.system, p.session_id)
)
SELECT system, storage_group, file_family, directory, mode,
       count(DISTINCT session_id) AS n_mounts, count(DISTINCT session_id) FILTER (is_remount) AS n_remounts,
       count(DISTINCT volume) AS n_volumes, CAST(sum(n_files) AS BIGINT) AS n_files, sum(bytes) / 1e9 AS volume_gb,
       sum(n_files) / count(DISTINCT session_id) AS files_per_mount,
       sum(bytes) / 1e9 / count(DISTINCT session_id) AS gb_per_mount, sum(mounting_s) / 3600 AS mounting_hours,
       sum(position_s) / 3600 AS tape_motion_hours, (coalesce(sum(mounting_s), 0) + sum(position_s)) / 3600 AS lost_hours
FROM moved
WHERE $group IN ('', storage_group)
GROUP BY system, storage_group, file_family, directory, mode
ORDER BY lost_hours DESC NULLS LAST, system, storage_group, file_family, directory, mode
