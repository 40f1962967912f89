/*
title = "Number of files that a mount writes from a family's write buffer"
topic = "requests"
why = "Some sites collect the files of each file family in a write buffer. Files wait there until their number, their total size or the wait of the oldest file exceeds a limit. Then one mount writes them all as a chunk. A chunk that exceeds no limit was written before it was due, and costs a mount for only a few files."
takes = ["first_day", "last_day", "group"]

[params.most_files]
type = "BIGINT"
default = "1000"
doc = "limit for the number of files in a buffer: with more files than this, the buffer is written to tape. The defaults of most_files, most_gb and most_hours are those of PIC, a WLCG site in Barcelona"

[params.most_gb]
type = "DOUBLE"
default = "20"
doc = "a buffer is written to tape once it has more data than this, in GB"

[params.most_hours]
type = "DOUBLE"
default = "2"
doc = "a buffer is written to tape once its oldest file has waited for more hours than this"

[columns]
system = { type = "VARCHAR", doc = "archive system" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment; NULL where no log records it" }
file_family = { type = "VARCHAR", doc = "file family: files that share tapes, e.g. one data set; NULL where no log records it" }
n_chunks = { type = "BIGINT", doc = "number of chunks: mounts in which files of the family were written completely. A chunk counts on the day on which its first file was written" }
files_a_chunk = { type = "DOUBLE", doc = "mean number of files per chunk" }
chunk_gb = { type = "DOUBLE", unit = "GB", doc = "mean amount of data per chunk" }
by_files_share = { type = "DOUBLE", unit = "1", doc = "share of the chunks with more than most_files files" }
by_size_share = { type = "DOUBLE", unit = "1", doc = "share of the chunks with more than most_gb of data, but not more than most_files files" }
by_age_share = { type = "DOUBLE", unit = "1", doc = "share of the chunks whose oldest file waited for more than most_hours, but that exceeded neither most_files nor most_gb" }
on_demand_share = { type = "DOUBLE", unit = "1", doc = "share of the chunks that were written before they were due: they exceeded none of the limits most_files, most_gb and most_hours" }
untold_share = { type = "DOUBLE", unit = "1", doc = "share of the chunks for which the reason is not known: they exceeded neither most_files nor most_gb, and no log shows how long their files waited" }
own_share = { type = "DOUBLE", unit = "1", doc = "share of the chunks whose mount wrote files of no other family" }
oldest_hours = { type = "DOUBLE", unit = "h", doc = "median, over the chunks, of the wait of the oldest file. The wait starts when the file was complete on the spool or, where no log shows this, when the file was queued. The wait ends when the first file of the chunk was written" }
*/
WITH written AS (
    SELECT t.system, t.session_id, t.storage_group, t.file_family, t.bytes, t.started_at,
           coalesce(t.ready_at, t.queued_at) AS came_at
    FROM silver.transfer t
    WHERE t.mode = 'write' AND t.status = 'ok' AND t.session_id IS NOT NULL
      AND near_days(t.day, $first_day, $last_day + 1)
),
chunk AS (
    SELECT system, session_id, storage_group, file_family, count(*) AS n_files, sum(bytes) / 1e9 AS gb,
           min(started_at) AS first_at, date_diff('microsecond', min(came_at), min(started_at)) / 3600e6 AS oldest_hours,
           count(*) OVER (PARTITION BY system, session_id) AS n_families
    FROM written GROUP BY system, session_id, storage_group, file_family
),
judged AS (
    SELECT c.*, CASE WHEN n_files > $most_files THEN 'files' WHEN gb > $most_gb THEN 'gb'
                     WHEN oldest_hours > $most_hours THEN 'age' WHEN oldest_hours IS NOT NULL THEN 'demand' END AS why
    FROM chunk c CROSS JOIN site.setting s
    WHERE site_day(first_at, s.zone) BETWEEN $first_day AND $last_day
      AND $group IN ('', storage_group)
)
SELECT system, storage_group, file_family, count(*) AS n_chunks, sum(n_files) / count(*) AS files_a_chunk,
       CAST(sum(CAST(round(1e9 * gb) AS HUGEINT)) / 1e9 / count(*) AS DOUBLE) AS chunk_gb,
       count(*) FILTER (why = 'files') / count(*) AS by_files_share, count(*) FILTER (why = 'gb') / count(*) AS by_size_share,
       count(*) FILTER (why = 'age') / count(*) AS by_age_share, count(*) FILTER (why = 'demand') / count(*) AS on_demand_share,
       count(*) FILTER (why IS NULL) / count(*) AS untold_share,
       count(*) FILTER (n_families = 1) / count(*) AS own_share, median(oldest_hours) AS oldest_hours
FROM judged
GROUP BY system, storage_group, file_family
ORDER BY system, storage_group NULLS LAST, file_family NULLS LAST
