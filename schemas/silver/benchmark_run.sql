/*
title = "Runs of timed commands, such as dd"
grain = "one row per run of a timed command, such as dd. A run whose time is known (ended_at) has one row, even if several files hold it"
why = "Shows the rate that a disk or network path reached in a test, and the reasons to doubt this rate. Few of these tests resemble production."
lineage = ["file_id", "line_no"]
features = ["M19", "N15"]

[columns]
host = { type = "VARCHAR", doc = "host on which the command ran, named as in site.toml if declared there" }
tool = { type = "VARCHAR", doc = "program that printed the result: dd, time or timex; `dd time` or `dd timex` if both dd and a timer printed a result" }
command = { type = "VARCHAR", doc = "the command line; NULL where the file does not show it" }
mode = { type = "VARCHAR", doc = "read (to /dev/null), write (from /dev/zero or the like) or copy; NULL where the file does not show dd's command" }
path = { type = "VARCHAR", doc = "file or disk that the command read (mode read) or wrote (modes write and copy); NULL where the file does not show dd's command, or the command does not name it" }
ended_at = { type = "TIMESTAMP", doc = "end of the run; NULL where neither the file nor site.toml gives a time of day" }
bytes = { type = "BIGINT", unit = "bytes", doc = "bytes moved; NULL where the file shows only a duration" }
block_bytes = { type = "BIGINT", unit = "bytes", doc = "block size" }
n_streams = { type = "BIGINT", doc = "number of timed commands on the host that overlapped this run in time, including this run; NULL where ended_at is NULL" }
streams_bytes = { type = "BIGINT", unit = "bytes", doc = "bytes moved by all the runs that n_streams counts, as far as their bytes are known; NULL where ended_at is NULL, or no run has bytes" }
elapsed_s = { type = "DOUBLE", unit = "s", doc = "wall-clock time of the run. If both dd and time (or timex) printed it, the value of time is used, because it includes the time to close the file" }
cpu_s = { type = "DOUBLE", unit = "s", doc = "CPU time of the command, user and kernel" }
rate_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "bytes / elapsed_s" }
is_flushed = { type = "BOOLEAN", doc = "true if dd was called with conv=fsync, conv=fdatasync, or the flag direct, sync or dsync. The rate is then that of the disk and not of the cache in memory. NULL where the file shows no dd command" }
exit_status = { type = "INTEGER", doc = "exit status of a command that failed; NULL otherwise" }
is_plausible = { type = "BOOLEAN", doc = "true if the rate can be used: the command succeeded and ran for at least a second. In addition, the rate is at most 1 GB/s or is_flushed is true. NULL without a rate" }
doubt = { type = "VARCHAR", doc = "reason to doubt the result; NULL where there is none" }
file_id = { type = "VARCHAR", doc = "file from which the row was made" }
line_no = { type = "BIGINT", doc = "number of the line in file_id from which the row was made" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "rate_bytes_s"
min_value = 0
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeInSet"
column = "mode"
value_set = ["read", "write", "copy"]
severity = "critical"
*/
WITH shown AS (
    SELECT *, regexp_matches(command, '(^|[\s/;(])dd\s.*(if|of)=') AS is_dd,
           bytes / nullif(elapsed_s, 0) AS rate_bytes_s_again
    FROM bronze.benchmark_run
),
judged AS (
    SELECT *,
           CASE WHEN is_dd IS NOT TRUE THEN NULL
                WHEN regexp_matches(command, '\sof=/dev/null') THEN 'read'
                WHEN regexp_matches(command, '\sif=/dev/(zero|u?random)') THEN 'write'
                ELSE 'copy' END AS mode,
           CASE WHEN is_dd IS NOT TRUE THEN NULL
                ELSE nullif(regexp_extract(command, CASE WHEN regexp_matches(command, '\sof=/dev/null')
                                                         THEN '\sif=(\S+)' ELSE '\sof=(\S+)' END, 1), '') END AS path,
           CASE WHEN is_dd
                THEN regexp_matches(command, 'conv=\S*(fsync|fdatasync)|[io]flag=\S*(direct|sync)') END AS is_flushed
    FROM shown
),
-- Equal runs without a date in two files stay two runs: the test may have been repeated with the same duration, because
-- `time` prints only two digits. A copy of a complete file is one file anyway.
-- the n-th of equal runs in one file is the n-th in any other file
counted AS (
    SELECT *, row_number() OVER (PARTITION BY file_id, host, tool, command, ended_at, bytes, elapsed_s ORDER BY line_no) AS nth
    FROM judged
),
run AS (
    SELECT r.* REPLACE (coalesce(a.station, r.host) AS host),
           r.ended_at - to_microseconds(CAST(r.elapsed_s * 1e6 AS BIGINT)) AS began_at
    FROM counted r
    LEFT JOIN site.station_alias a ON a.alias = split_part(r.host, '.', 1)
    QUALIFY r.ended_at IS NULL
         OR row_number() OVER (
                PARTITION BY coalesce(a.station, r.host), r.tool, r.command, r.ended_at, r.bytes, r.elapsed_s, r.nth
                ORDER BY r.file_id, r.line_no) = 1
),
parallel AS (
    SELECT r.file_id, r.line_no, count(*) AS n_streams, CAST(sum(o.bytes) AS BIGINT) AS streams_bytes
    FROM run r
    JOIN run o ON o.host = r.host AND (o.began_at < r.ended_at AND o.ended_at > r.began_at
                                       OR (o.file_id, o.line_no) = (r.file_id, r.line_no))
    WHERE r.ended_at IS NOT NULL
    GROUP BY r.file_id, r.line_no
)
SELECT r.host, r.tool, r.command, r.mode, r.path, r.ended_at, r.bytes, r.block_bytes, b.n_streams, b.streams_bytes, r.elapsed_s, r.user_s + r.system_s AS cpu_s,
       r.rate_bytes_s_again AS rate_bytes_s, r.is_flushed, r.exit_status,
       CASE WHEN r.rate_bytes_s_again IS NOT NULL
            THEN coalesce(r.exit_status, 0) = 0 AND r.elapsed_s >= 1
                 AND (r.rate_bytes_s_again <= 1e9 OR coalesce(r.is_flushed, false)) END AS is_plausible,
       nullif(concat_ws('; ', r.note, CASE WHEN r.exit_status <> 0 THEN 'the command failed' END,
                        CASE WHEN r.elapsed_s > 0 AND r.elapsed_s < 1 THEN 'shorter than a second' END), '') AS doubt,
       r.file_id, r.line_no
FROM run r
LEFT JOIN parallel b ON b.file_id = r.file_id AND b.line_no = r.line_no
