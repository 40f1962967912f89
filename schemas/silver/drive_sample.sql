/*
title = "Rates of drives, from screens of monitoring programs"
grain = "one row per drive and sampled instant, for each host and each program that displayed the values"
why = "Shows the rate, volume and volume group of each drive at the moment when a monitoring screen was recorded."
partition = "month"
features = ["I5"]
lineage = ["file_id", "line_no"]

[columns]
day = { type = "DATE", doc = "UTC day of sampled_at" }
host = { type = "VARCHAR", doc = "host to which the drives are attached, named as in site.toml if declared there" }
tool = { type = "VARCHAR", doc = "program that displayed the values" }
sampled_at = { type = "TIMESTAMP", doc = "when the sample was taken" }
is_time_known = { type = "BOOLEAN", doc = "true if the time of day of the sample is known, not only its day" }
drive = { type = "VARCHAR", doc = "name of the drive; for sysperf, number of the library and of the drive, such as 1/2" }
is_active = { type = "BOOLEAN", doc = "true if the drive moved data (rate above 0); NULL where the screen shows no rate" }
rate_low_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "rate of the drive if the unit KB on the program's screen means 1000 bytes. For sysperf, the rate at which cache segments become free" }
rate_high_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "the same rate, if KB means 1024 bytes; equal to rate_low_bytes_s where the meaning is known" }
volume = { type = "VARCHAR", doc = "volume in the drive" }
volume_group = { type = "VARCHAR", doc = "volume group (AMASS's set of volumes) to which the volume in the drive belongs" }
mode = { type = "VARCHAR", doc = "read or write, if the drive moved data and all requests on the screen were of this one kind; NULL otherwise" }
is_mode_inferred = { type = "BOOLEAN", doc = "true if the mode was inferred from the requests, because the screen does not show the mode; false where mode is NULL" }
is_repaired = { type = "BOOLEAN", doc = "true if a damaged cell of the row was repaired, or is NULL because it cannot be read. The column repairs of bronze.amass_sysperf_drive lists these cells" }
file_id = { type = "VARCHAR", doc = "file from which the row was made" }
line_no = { type = "BIGINT", doc = "number of the line in file_id from which the row was made" }

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "rate_low_bytes_s"
min_value = 0
severity = "critical"

[[checks]]
expectation = "ExpectColumnPairValuesAToBeGreaterThanB"
column_A = "rate_high_bytes_s"
column_B = "rate_low_bytes_s"
or_equal = true
ignore_row_if = "either_value_is_missing"
severity = "critical"
*/
WITH sampled AS (
    SELECT d.sampled_at, d.at_basis <> 'day alone' AS is_time_known, d.host, 'sysperf' AS tool,
           d.juke || '/' || d.drive AS drive, d.rate_k1000_bytes_s AS rate_low_bytes_s,
           d.rate_k1024_bytes_s AS rate_high_bytes_s, CAST(d.volume AS VARCHAR) AS volume, d.volgrp AS volume_group,
           CASE WHEN d.printed_rate > 0 AND s.write_requests > 0 AND s.read_requests = 0 THEN 'write'
                WHEN d.printed_rate > 0 AND s.read_requests > 0 AND s.write_requests = 0 THEN 'read' END AS mode,
           d.repairs IS NOT NULL AS is_repaired, d.file_id, d.line_no
    FROM bronze.amass_sysperf_drive d
    LEFT JOIN bronze.amass_sysperf_screen s
        ON s.day = d.day AND s.file_id = d.file_id AND s.sampled_at = d.sampled_at AND s.line_no = d.screen_line
)
SELECT CAST(m.sampled_at AS DATE) AS day, coalesce(a.station, m.host) AS host, m.tool, m.sampled_at, m.is_time_known, m.drive,
       m.rate_low_bytes_s > 0 AS is_active, m.rate_low_bytes_s, m.rate_high_bytes_s, m.volume, m.volume_group, m.mode,
       m.mode IS NOT NULL AS is_mode_inferred, m.is_repaired, m.file_id, m.line_no
FROM sampled m
LEFT JOIN site.station_alias a ON a.alias = short_host(m.host)
QUALIFY row_number() OVER (
    PARTITION BY coalesce(a.station, m.host), m.tool, m.drive, m.sampled_at ORDER BY m.is_repaired, m.file_id, m.line_no
) = 1
