/*
title = "Meaning of the numbers in each file of MRTG, LibreNMS or Observium"
grain = "one row per log file of MRTG, or RRD file of MRTG, LibreNMS or Observium"
why = "Shows unit, direction and limits of the numbers in each file. These come from the entry of the same name in MRTG's configuration; site.toml may also give the capacity. When MRTG creates a log, it writes zeros for the two years before. Zeros older than the first traffic are therefore not data."
lineage = ["file_id"]

[columns]
file_id = { type = "VARCHAR", doc = "file" }
link = { type = "VARCHAR", doc = "name of the link, as in site.toml if site.toml declares the link by this name or by its only port; otherwise as in the log" }
data_from_at = { type = "TIMESTAMP", doc = "start of the oldest row with traffic; NULL where all rows are zero. For an RRD file, start of the oldest row, because an RRD file has no rows without measurements" }
is_traffic = { type = "BOOLEAN", doc = "false if, according to MRTG's configuration, the values are not bytes of a network link (see silver.link_target); true where no configuration is known" }
divisor = { type = "DOUBLE", doc = "number by which the file's values must be divided to get bytes/s" }
is_turned = { type = "BOOLEAN", doc = "true if in and out are swapped in the file, compared with the counters of the polled interface" }
has_zeros_for_holes = { type = "BOOLEAN", doc = "true if repeated values in the file are real measurements, because missing values are written as zeros (unknaszero) or have no rows (RRD). If false, MRTG repeats the last value where values are missing" }
polled = { type = "VARCHAR", doc = "side of the link that was polled: switch or host; NULL where the configuration does not show it" }
capacity_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "capacity of the link in each direction: from site.toml, else MaxBytes in MRTG's configuration" }
max_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "highest measured rate in the file, in either direction" }
note = { type = "VARCHAR", doc = "`counter_too_narrow` if a 32-bit counter probably wrapped; otherwise NULL. The value is set under three conditions: the link's capacity is above 14.4 MB/s, the highest rate is 7 to 14.4 MB/s, and nothing shows 64-bit counters. True rates may then be higher by a multiple of 14.3 MB/s" }
*/
WITH file AS (
    SELECT file_id, any_value(link) AS link, coalesce(any_value(log_format), 'native') AS log_format,
           min(from_at) AS first_at,
           min(CASE WHEN in_bytes_s > 0 OR out_bytes_s > 0 OR in_max_bytes_s > 0 OR out_max_bytes_s > 0
                    THEN from_at END) AS traffic_at,
           max(greatest(in_bytes_s, out_bytes_s, in_max_bytes_s, out_max_bytes_s)) FILTER (note IS NULL) AS max_value,
           coalesce(bool_or(greatest(TRY_CAST(in_counter AS DOUBLE), TRY_CAST(out_counter AS DOUBLE)) >= 4294967296),
                    false) AS has_wide_counter
    FROM bronze.link_sample
    GROUP BY file_id
),
described AS (
    SELECT f.*, coalesce(s.link, f.link) AS site_link, s.capacity_mb_s * 1e6 AS site_capacity,
           t.* EXCLUDE (log_format, file_id, line_no, note, divisor),
           -- an RRD holds rates per second, even if the configuration asks for another unit
           CASE WHEN f.log_format = 'rrdtool' AND t.divisor > 8 THEN 1.0 ELSE coalesce(t.divisor, 1.0) END
               AS divisor
    FROM file f
    LEFT JOIN silver.link_target t ON t.target = lower(f.link)
    -- LibreNMS has one file per port, and only names the switch
    LEFT JOIN site.link_port p ON lower(p.host || ':' || p.interface) = lower(f.link) AND p.n_ports = 1
    LEFT JOIN (SELECT * FROM site.link QUALIFY row_number() OVER (PARTITION BY lower(link) ORDER BY link) = 1) s
        ON lower(s.link) = lower(coalesce(p.link, f.link))
),
judged AS (
    SELECT *, coalesce(site_capacity, capacity_bytes_s) AS capacity, max_value / divisor AS max_bytes_s FROM described
)
SELECT file_id, site_link AS link, CASE WHEN log_format = 'rrdtool' THEN first_at ELSE traffic_at END AS data_from_at,
       coalesce(is_traffic, true) AS is_traffic, CAST(divisor AS DOUBLE) AS divisor,
       coalesce(is_turned, false) AS is_turned,
       log_format = 'rrdtool' OR coalesce(has_zeros_for_holes, false) AS has_zeros_for_holes, polled,
       capacity AS capacity_bytes_s, max_bytes_s,
       -- 2^32 bytes in 300 s are 14316558 bytes/s; a link that never comes near shows nothing
       CASE WHEN max_bytes_s BETWEEN 7e6 AND 14.4e6 AND capacity > 14.4e6 AND NOT has_wide_counter
             AND coalesce(snmp_version, '1') = '1' AND coalesce(is_traffic, true) THEN 'counter_too_narrow' END AS note
FROM judged
