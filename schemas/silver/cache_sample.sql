/*
title = "Disk cache and requests at an instant"
grain = "one row per host, tool and sampled instant"
why = "Shows how full the disk cache was, how much of its data was not yet on tape, and how many requests waited. Reads wait when the cache is full of data that are not yet on tape."
partition = "month"
features = ["I5"]
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of sampled_at" }
host = { type = "VARCHAR", doc = "host of the cache, named as in site.toml if declared there" }
tool = { type = "VARCHAR", doc = "program that displayed the values" }
sampled_at = { type = "TIMESTAMP", doc = "when the sample was taken" }
is_time_known = { type = "BOOLEAN", doc = "true if the time of day of the sample is known, not only its day" }
interval_s = { type = "DOUBLE", unit = "s", doc = "time between two samples, from site.toml; NULL where site.toml does not give it" }
write_requests = { type = "BIGINT", doc = "number of writes from cache to tape, queued or under way" }
write_volume_groups = { type = "BIGINT", doc = "number of volume groups (AMASS's sets of volumes) to which the writes counted in write_requests go" }
read_requests = { type = "BIGINT", doc = "number of reads from tape that are not finished" }
read_volume_groups = { type = "BIGINT", doc = "number of volume groups from which the reads counted in read_requests come; number of volumes if the screen counts volumes instead" }
blocks_total = { type = "BIGINT", doc = "number of blocks in the disk cache" }
blocks_free = { type = "BIGINT", doc = "number of free blocks in the disk cache" }
blocks_dirty = { type = "BIGINT", doc = "number of blocks in the disk cache that are not yet verified on tape" }
dirty = { type = "DOUBLE", unit = "1", doc = "share of the cache's blocks that are not yet verified on tape" }
files_total = { type = "BIGINT", doc = "largest number of files that can be open at once" }
files_free = { type = "BIGINT", doc = "number of further files that can be opened before the limit files_total is reached" }
is_repaired = { type = "BOOLEAN", doc = "true if a damaged number or label of the screen was repaired or could not be read (an unreadable number is NULL). The column repairs of bronze.amass_sysperf_screen lists them" }
file_id = { type = "VARCHAR", doc = "file from which the row was made" }
line_no = { type = "BIGINT", doc = "number of the line in file_id from which the row was made" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "blocks_dirty"
min_value = 0
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "dirty"
min_value = 0
max_value = 1
severity = "warning"
*/
SELECT CAST(s.sampled_at AS DATE) AS day, coalesce(a.station, s.host) AS host, 'sysperf' AS tool, s.sampled_at,
       s.at_basis <> 'day alone' AS is_time_known, s.interval_s, s.write_requests,
       s.write_vol_groups AS write_volume_groups, s.read_requests, s.read_vol_groups AS read_volume_groups,
       s.cache_total AS blocks_total, s.cache_free AS blocks_free, s.cache_dirty AS blocks_dirty,
       s.cache_dirty / nullif(s.cache_total, 0) AS dirty, s.fnodes_total AS files_total, s.fnodes_free AS files_free,
       s.repairs IS NOT NULL AS is_repaired, s.file_id, s.line_no
FROM bronze.amass_sysperf_screen s
LEFT JOIN site.station_alias a ON a.alias = split_part(s.host, '.', 1)
QUALIFY row_number() OVER (
    PARTITION BY coalesce(a.station, s.host), s.sampled_at ORDER BY s.repairs IS NOT NULL, s.file_id, s.line_no
) = 1
