/*
title = "Rates compared by a property that site.toml declares"
topic = "changes"
why = "Shows rates for each value of a fact such as file system or RAID level: hourly rates of pools, hosts and links, and drive rates of large files. If the fact is itself a rate (expected_mb_s), the rows also show how often that rate was reached."
takes = ["first_day", "last_day"]

[params.fact]
type = "VARCHAR"
default = "expected_mb_s"
doc = "name of a fact in site.toml, e.g. filesystem; if the name ends in _mb_s, the fact is a rate that should be reached"

[columns]
value = { type = "VARCHAR", doc = "value of the fact for this entity" }
entity = { type = "VARCHAR", doc = "pool, host, link or drive that has the fact" }
kind = { type = "VARCHAR", doc = "kind of entity: pool, host, link or drive" }
work = { type = "VARCHAR", doc = "kind of traffic: restore or store (pools), read or write (drives and the disks of hosts), in or out (links)" }
n_rates = { type = "BIGINT", doc = "number of hours with a rate of at least 1 MB/s. For a drive: number of large files (500 MB or more) with such a rate; of these, only files with the drive's most frequent drive_rate_basis count" }
p50_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "median rate of the hours (for a drive: of the files)" }
p95_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "95th percentile of the rates of the hours (for a drive: of the files)" }
best_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest rate of the hours (for a drive: of the files)" }
reached = { type = "DOUBLE", unit = "1", doc = "share of the hours (for a drive: of the files) that reached the rate in the fact; NULL where the fact is not a rate" }
of_expected = { type = "DOUBLE", unit = "1", doc = "p95_mb_s / rate in the fact; NULL where the fact is not a rate" }
*/
WITH rate AS (
    SELECT site_day(r.ended_at, c.zone) AS day, 'pool' AS kind, r.pool AS entity,
           r.operation AS work, CAST(sum(r.bytes) AS DOUBLE) / 1e6 / 3600 AS mb_s
    FROM silver.pool_request r CROSS JOIN site.setting c
    -- a request that ended in the period may have been made a week before
    WHERE near_days(r.day, $first_day - 7, $last_day) AND r.outcome = 'done' AND r.pool IS NOT NULL
      AND in_days(r.ended_at, $first_day, $last_day, c.zone)
    GROUP BY 1, r.pool, r.operation, date_trunc('hour', r.ended_at)
    UNION ALL
    SELECT day, 'host', host, unnest(['read', 'write']), unnest([read_mb_s, write_mb_s])
    FROM gold.host_load WHERE day BETWEEN $first_day AND $last_day
    UNION ALL
    SELECT day, 'link', link, direction, avg_mb_s FROM gold.link_load WHERE day BETWEEN $first_day AND $last_day
    UNION ALL
    SELECT day, 'drive', drive, mode, rate_mb_s
    FROM (SELECT *, count(*) OVER (PARTITION BY drive, drive_rate_basis) AS n_files FROM gold.file_rate
          WHERE day BETWEEN $first_day AND $last_day)
    -- rates of two bases are not to be compared: the one that most of a drive's files have
    QUALIFY drive_rate_basis = first_value(drive_rate_basis) OVER (PARTITION BY drive ORDER BY n_files DESC, drive_rate_basis)
),
matched AS (
    SELECT f.value, CASE WHEN $fact LIKE '%\_mb\_s' ESCAPE '\' THEN f.number END AS expected_mb_s, r.*
    FROM site.fact f
    JOIN rate r ON r.entity = f.entity AND coalesce(r.day >= f.since_day, true) AND coalesce(r.day < f.until_day, true)
    WHERE f.name = $fact AND r.mb_s >= 1
)
SELECT value, entity, kind, work, count(*) AS n_rates, quantile_cont(mb_s, 0.5) AS p50_mb_s, quantile_cont(mb_s, 0.95) AS p95_mb_s,
       max(mb_s) AS best_mb_s, CASE WHEN max(expected_mb_s) IS NOT NULL THEN count(*) FILTER (mb_s >= expected_mb_s) / count(*) END AS reached,
       quantile_cont(mb_s, 0.95) / max(expected_mb_s) AS of_expected
FROM matched
GROUP BY value, entity, kind, work
ORDER BY of_expected NULLS LAST, p95_mb_s DESC, kind, entity, work
