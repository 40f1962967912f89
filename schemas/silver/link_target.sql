/*
title = "Targets in MRTG's configuration"
grain = "one row per target (an entry in MRTG's configuration). If several configurations have the target, the newest is used"
why = "Shows what the numbers in an MRTG log mean: owner of the polled port (switch or host), direction, unit, and capacity of the link."
lineage = ["file_id", "line_no"]

[columns]
target = { type = "VARCHAR", doc = "name of the target in lower case, which is also the name of its log" }
written_at = { type = "TIMESTAMP", doc = "when the configuration file was last written" }
log_format = { type = "VARCHAR", doc = "format of the logs that MRTG writes: native or rrdtool" }
interval_s = { type = "DOUBLE", unit = "s", doc = "time between two polls; 300 where the configuration does not set it" }
polled_host = { type = "VARCHAR", doc = "device that MRTG polls. NULL where MRTG runs a program instead, or where the target adds up several devices" }
polled = { type = "VARCHAR", doc = "side of the link that is polled: switch or host; NULL where neither name nor description of the port shows it" }
n_members = { type = "BIGINT", doc = "number of interfaces or programs whose values the target adds up; more than one for a bond" }
snmp_version = { type = "VARCHAR", doc = "SNMP version, if it is the same for all interfaces of the target; NULL otherwise" }
is_turned = { type = "BOOLEAN", doc = "true if a minus sign before the target in MRTG's configuration swaps in and out; NULL where the target's interfaces differ in this" }
is_traffic = { type = "BOOLEAN", doc = "true if the target counts bytes of a network link. False for packets, loads, disks and other units, for a gauge whose unit is not known, and where note is arithmetic or mixed_signs" }
divisor = { type = "DOUBLE", doc = "values of a native log ÷ this number = bytes/s. 3600 with the option perhour, 60 with perminute, 8 for a gauge in bits/s, otherwise 1" }
has_zeros_for_holes = { type = "BOOLEAN", doc = "true with the option unknaszero: the log then has zeros for missing values, and repeated values are real measurements" }
capacity_bytes_s = { type = "DOUBLE", unit = "bytes/s", doc = "capacity of the link, from MaxBytes of the target. NULL if the target does not count traffic or MaxBytes is not set. Also NULL if MaxBytes is 536870911, which SNMP version 1 reports for any port of 4.3 Gb/s or more" }
title = { type = "VARCHAR", doc = "title of the MRTG page of the target" }
note = { type = "VARCHAR", doc = "remark on the target; NULL without a remark. arithmetic: the target's formula does more than add up interfaces, for example it multiplies. mixed_signs: only some of the target's interfaces have a minus sign. capacity_unknown: MaxBytes does not show the capacity" }
file_id = { type = "VARCHAR", doc = "configuration file that describes the target" }
line_no = { type = "BIGINT", doc = "number of the line with the target in the configuration file" }

[[checks]]
expectation = "ExpectColumnValuesToBeUnique"
column = "target"
severity = "critical"
*/
WITH target AS (
    SELECT file_id, target, any_value(written_at) AS written_at, min(line_no) AS line_no, count(member_kind) AS n_members,
           CASE WHEN count(DISTINCT polled_host) = 1 THEN any_value(polled_host) END AS polled_host,
           CASE WHEN count(DISTINCT polled) = 1 THEN any_value(polled) END AS polled,
           CASE WHEN count(DISTINCT snmp_version) = 1 AND count(snmp_version) = count(*)
                THEN any_value(snmp_version) END AS snmp_version,
           CASE WHEN count(DISTINCT is_turned) = 1 THEN any_value(is_turned) END AS is_turned,
           count(DISTINCT is_turned) > 1 AS has_mixed_signs,
           bool_or(note IS NOT DISTINCT FROM 'arithmetic') AS is_arithmetic,
           bool_or(measures IS NOT DISTINCT FROM 'other') AS is_other,
           bool_and(measures IS NOT DISTINCT FROM 'octets') AS is_octets
    FROM bronze.mrtg_cfg
    WHERE keyword = 'target'
    GROUP BY file_id, target
),
-- a target's own value, else the default above it; prefix and suffix apply to either
setting AS (
    SELECT t.file_id, t.target, s.keyword, s.value, s.number, s.unit, s.polled, s.note
    FROM target t
    JOIN bronze.mrtg_cfg s
        ON s.file_id = t.file_id AND s.keyword <> 'target'
       AND (s.target = t.target
            OR s.target = '_' AND s.setting_line < t.line_no
            OR s.target IN ('^', '$') AND s.keyword = 'options' AND s.setting_line < t.line_no)
    QUALIFY rank() OVER (PARTITION BY t.file_id, t.target, s.keyword,
                                      CASE WHEN s.target IN ('^', '$') THEN s.target ELSE '' END
                         ORDER BY s.target = t.target DESC, s.setting_line DESC) = 1
),
declared AS (
    SELECT file_id, target, string_split(string_agg(value, ',') FILTER (keyword = 'options'), ',') AS options,
           max(number) FILTER (keyword IN ('maxbytes', 'maxbytes1', 'maxbytes2')) AS max_bytes,
           coalesce(bool_or(note = 'capacity_unknown'), false) AS is_capacity_unknown,
           coalesce(max(unit) FILTER (keyword = 'shortlegend'), max(unit) FILTER (keyword = 'ylegend')) AS unit,
           max(polled) AS polled, max(value) FILTER (keyword = 'title') AS title
    FROM setting GROUP BY file_id, target
),
whole AS (
    SELECT file_id, arg_max(number, line_no) FILTER (keyword = 'interval') AS interval_s,
           arg_max(lower(value), line_no) FILTER (keyword = 'logformat') AS log_format
    FROM bronze.mrtg_cfg WHERE target IS NULL GROUP BY file_id
),
joined AS (
    SELECT t.*, w.interval_s, w.log_format, s.max_bytes, s.unit, s.title, coalesce(s.options, []) AS options,
           coalesce(s.is_capacity_unknown, false) AS is_capacity_unknown, coalesce(t.polled, s.polled) AS polled_side
    FROM target t
    LEFT JOIN declared s USING (file_id, target)
    LEFT JOIN whole w ON w.file_id = t.file_id
    QUALIFY row_number() OVER (PARTITION BY t.target ORDER BY t.written_at DESC, t.file_id DESC) = 1
),
-- a program may count anything: it is believed to count bytes unless its legend says otherwise, a gauge only if it does
judged AS (
    SELECT *, list_contains(options, 'gauge') AS is_gauge,
           NOT has_mixed_signs AND NOT is_arithmetic AND NOT is_other
           AND CASE WHEN list_contains(options, 'gauge') THEN coalesce(unit IN ('bytes/s', 'bits/s'), false)
                    ELSE is_octets OR coalesce(unit <> 'other', true) END AS is_traffic
    FROM joined
),
scaled AS (
    SELECT *, CASE WHEN is_gauge THEN CASE WHEN unit = 'bits/s' THEN 8.0 ELSE 1.0 END
                   WHEN list_contains(options, 'perhour') THEN 3600.0
                   WHEN list_contains(options, 'perminute') THEN 60.0
                   ELSE 1.0 END AS divisor
    FROM judged
)
SELECT target, written_at, CASE WHEN log_format = 'rrdtool' THEN 'rrdtool' ELSE 'native' END AS log_format,
       coalesce(interval_s, 300) AS interval_s, polled_host, polled_side AS polled, n_members, snmp_version, is_turned,
       is_traffic, CAST(divisor AS DOUBLE) AS divisor,
       list_contains(options, 'unknaszero') AS has_zeros_for_holes,
       CASE WHEN is_traffic AND NOT is_capacity_unknown THEN max_bytes / divisor END AS capacity_bytes_s, title,
       CASE WHEN has_mixed_signs THEN 'mixed_signs' WHEN is_arithmetic THEN 'arithmetic'
            WHEN is_capacity_unknown THEN 'capacity_unknown' END AS note,
       file_id, line_no
FROM scaled
