/*
title = "Queues of requests, from regular polls"
grain = "one row per queue of an archive system and instant at which it was polled"
why = "Shows how many requests waited and for how long. Polls also show requests that were never served."
partition = "day"
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of polled_at" }
system = { type = "VARCHAR", doc = "archive system" }
polled_at = { type = "TIMESTAMP", doc = "when the queue was polled" }
mode = { type = "VARCHAR", doc = "read or write" }
purpose = { type = "VARCHAR", doc = "user (requests of users) or repack (copies files to other tapes). For reads always user, because CTA's queues do not distinguish reads for repack" }
storage_group = { type = "VARCHAR", doc = "virtual organisation: the experiment or user group that owns the files" }
file_family = { type = "VARCHAR", doc = "tape pool: the set of volumes that the queue reads or writes" }
volume = { type = "VARCHAR", doc = "volume that a queue of reads waits for; NULL for a queue of writes" }
n_files = { type = "BIGINT", doc = "number of files that wait in the queue" }
bytes = { type = "BIGINT", unit = "bytes", doc = "bytes of the files that wait in the queue" }
oldest_age_s = { type = "DOUBLE", unit = "s", doc = "time for which the oldest file in the queue has waited; NULL where no file waits" }
overdue_s = { type = "DOUBLE", unit = "s", doc = "time for which the oldest file has waited beyond the age at which the mount policy allows a mount (oldest_age_s less that age). 0 before that age; NULL where the poll does not show that age, or no file waits" }
n_mounts = { type = "BIGINT", doc = "number of mounts that served the queue at polled_at" }
is_sleeping = { type = "BOOLEAN", doc = "true if the queue waits for free space on disk" }
file_id = { type = "VARCHAR", doc = "log file with CTA's answer to the poll" }
line_no = { type = "BIGINT", doc = "number of the line in file_id" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "n_files"
min_value = 0
severity = "critical"
*/
SELECT day, system, polled_at, CASE WHEN mount_type = 'RETRIEVE' THEN 'read' ELSE 'write' END AS mode,
       CASE WHEN mount_type = 'ARCHIVE_FOR_REPACK' THEN 'repack' ELSE 'user' END AS purpose, vo AS storage_group,
       tape_pool AS file_family, volume, n_files, bytes, CASE WHEN n_files > 0 THEN oldest_age_s END AS oldest_age_s,
       CASE WHEN n_files > 0 AND min_age_s IS NOT NULL THEN greatest(oldest_age_s - min_age_s, 0) END AS overdue_s, n_mounts, is_sleeping,
       file_id, line_no
FROM bronze.cta_queue
WHERE mount_type IN ('RETRIEVE', 'ARCHIVE_FOR_USER', 'ARCHIVE_FOR_REPACK')
-- two files may hold one answer
QUALIFY row_number() OVER (PARTITION BY system, polled_at, mount_type, tape_pool, volume, logical_library
                           ORDER BY file_id, line_no) = 1
