/*
title = "Data written to tape each day"
why = "Lists the bytes written to tape per day and the share of the day that logs cover, to estimate growth."
takes = ["last_day", "group"]

[params.family]
type = "VARCHAR"
default = ""
doc = "one file family; default: all"

[params.n_days]
type = "BIGINT"
default = "728"
doc = "number of site days in the period that ends with last_day"

[columns]
day = { type = "DATE", doc = "site day; only days that logs or Enstore's accounting of transfers cover are listed" }
written_gb = { type = "DOUBLE", unit = "GB", doc = "data written on that day; only files that were written completely count. 0 where logs cover the day and show no writes" }
covered_share = { type = "DOUBLE", unit = "1", doc = "share of the day's drive-hours that logs cover. It is 1 on days that Enstore's accounting of transfers covers. If two such days are at most a week apart, it is also 1 on all days between them" }
*/
WITH covered AS (
    SELECT day, 1 - coalesce(sum(duration_us) FILTER (bucket = 'unknown'), 0) / sum(duration_us) AS share
    FROM gold.drive_ledger
    WHERE day BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day
    GROUP BY day
),
moved AS (
    SELECT day, bool_or(is_listed) AS is_listed,
           sum(bytes) FILTER (mode = 'write' AND $group IN ('', storage_group) AND $family IN ('', file_family)) AS bytes
    FROM gold.tape_traffic
    WHERE near_days(day, $last_day - CAST($n_days AS INTEGER) + 1, $last_day)
    GROUP BY day
),
-- the table has every transfer: between two of its days, at most a week apart, a day without rows had no transfer
listed AS (
    SELECT day, lead(day) OVER (ORDER BY day) AS next_day FROM moved WHERE is_listed
),
listed_day AS (
    SELECT CAST(unnest(range(CAST(day AS TIMESTAMP), CAST(CASE WHEN next_day - day <= 7 THEN next_day ELSE day + 1 END AS TIMESTAMP),
                             INTERVAL 1 DAY)) AS DATE) AS day
    FROM (SELECT day, coalesce(next_day, day + 1) AS next_day FROM listed)
)
SELECT coalesce(c.day, t.day) AS day, CAST(coalesce(m.bytes, 0) AS DOUBLE) / 1e9 AS written_gb,
       CAST(CASE WHEN t.day IS NOT NULL THEN 1 ELSE c.share END AS DOUBLE) AS covered_share
FROM covered c FULL JOIN listed_day t ON t.day = c.day
LEFT JOIN moved m ON m.day = coalesce(c.day, t.day)
WHERE coalesce(c.day, t.day) BETWEEN $last_day - CAST($n_days AS INTEGER) + 1 AND $last_day
  AND (t.day IS NOT NULL OR c.share > 0)
ORDER BY 1
