/*
title = "Mass balance of stations: data in and data out"
grain = "one row per station and site day for which traffic in both directions is known"
why = "Data that comes into a station must go out again, or it fills the spool. If needed_out_duty is above 1, the station cannot send out all incoming data. Then the numbers or directions are wrong, or the station keeps or discards some of the data that it receives."
partition = "month"
features = ["D8", "MA2"]

[columns]
day = { type = "DATE", doc = "site day" }
station = { type = "VARCHAR", doc = "station" }
role = { type = "VARCHAR", doc = "role of the station; a scanning station receives data that it never sends on" }
in_gb = { type = "DOUBLE", unit = "GB", doc = "data that the station received over its links in the half-hours with complete traffic data (moved_gb of gold.duty_factor)" }
out_gb = { type = "DOUBLE", unit = "GB", doc = "data that the station sent over its links in the half-hours with complete traffic data (moved_gb of gold.duty_factor)" }
unaccounted_gb = { type = "DOUBLE", unit = "GB", doc = "in_gb - out_gb: data that the station kept or discarded, or that left it without being counted; negative if more went out than came in" }
unaccounted = { type = "DOUBLE", unit = "1", doc = "unaccounted_gb / the larger of in_gb and out_gb" }
in_duty = { type = "DOUBLE", unit = "1", doc = "duty factor in: share of half-hours in which traffic towards the station exceeds duty_threshold_mb_s, the threshold in site.toml" }
out_duty = { type = "DOUBLE", unit = "1", doc = "duty factor out: share of half-hours in which traffic away from the station exceeds duty_threshold_mb_s, the threshold in site.toml" }
in_active_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate of incoming traffic over the half-hours in which it exceeds duty_threshold_mb_s; NULL without such half-hours" }
out_active_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "average rate of outgoing traffic over the half-hours in which it exceeds duty_threshold_mb_s; NULL without such half-hours" }
needed_out_duty = { type = "DOUBLE", unit = "1", doc = "duty factor that the station would need to send out all incoming data, at the rate out_active_mb_s. It is in_duty x in_active_mb_s / out_active_mb_s. No station can reach a value above 1" }
read_gb = { type = "DOUBLE", unit = "GB", doc = "data that drives read from tape for the station that day; only files that were moved completely count. NULL where no log shows a transfer for the station that day" }
written_gb = { type = "DOUBLE", unit = "GB", doc = "data that drives wrote to tape for the station that day; only files that were moved completely count. NULL where no log shows a transfer for the station that day" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["day", "station"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "unaccounted"
min_value = -1
max_value = 1
severity = "critical"
*/
WITH side AS (
    SELECT day, station, role, direction, moved_gb, n_active / n_bins AS duty,
           active_gb * 1e3 / nullif(n_active * 1800, 0) AS active_mb_s
    FROM gold.duty_factor
),
tape AS (
    SELECT day, station, coalesce(sum(bytes) FILTER (mode = 'read'), 0) / 1e9 AS read_gb,
           coalesce(sum(bytes) FILTER (mode = 'write'), 0) / 1e9 AS written_gb
    FROM gold.tape_traffic
    GROUP BY day, station
)
SELECT i.day, i.station, i.role, i.moved_gb AS in_gb, o.moved_gb AS out_gb, i.moved_gb - o.moved_gb AS unaccounted_gb,
       (i.moved_gb - o.moved_gb) / nullif(greatest(i.moved_gb, o.moved_gb), 0) AS unaccounted,
       i.duty AS in_duty, o.duty AS out_duty, i.active_mb_s AS in_active_mb_s, o.active_mb_s AS out_active_mb_s,
       i.duty * i.active_mb_s / o.active_mb_s AS needed_out_duty, t.read_gb, t.written_gb
FROM side i
JOIN side o ON o.day = i.day AND o.station = i.station AND o.direction = 'out'
LEFT JOIN tape t ON t.day = i.day AND t.station = i.station
WHERE i.direction = 'in'
