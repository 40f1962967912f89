/*
title = "Clients that read files recalled from tape"
topic = "pools"
why = "Shows who read the recalled files: clients on the site's own network, remote clients, both, or no client. Each case needs a different remedy. To name the networks, declare a [[fact]] for each in site.toml, e.g. with of = '192.0.2.' and network = 'LAN'."
takes = ["first_day", "last_day", "group"]

[params.hours]
type = "DOUBLE"
default = "24"
doc = "a client's read of a file counts towards the file's recall if the recall was requested at most this many hours before the read"

[columns]
system = { type = "VARCHAR", doc = "archive system" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment" }
read_from = { type = "VARCHAR", doc = "networks of the clients that read the files, as named by facts of site.toml; several names are joined by `and`. elsewhere: no fact names the network. nobody: no read is known. not recorded: dCache's billing log shows no client transfers, because it lacks them or has an unknown layout" }
n_restores = { type = "BIGINT", doc = "number of completed restores to which read_from applies" }
restored_gb = { type = "DOUBLE", unit = "GB", doc = "data of the restores counted in n_restores" }
share = { type = "DOUBLE", unit = "1", doc = "n_restores / number of all completed restores of the storage group" }
n_reads = { type = "BIGINT", doc = "number of successful reads that count towards the restores in n_restores (see parameter hours)" }
protocols = { type = "VARCHAR", doc = "protocols with which the files were read" }
latency_p50_s = { type = "DOUBLE", unit = "s", doc = "median time from request to end of the restore, without the time in the pool's own queue" }
unread_p50_s = { type = "DOUBLE", unit = "s", doc = "median time from the end of the restore to the first read of the file. A read that began before this end counts as 0; restores without a read are left out" }
*/
WITH restore AS (
    SELECT row_number() OVER (ORDER BY r.created_at, r.system, r.pool, r.pnfsid) AS no, r.*
    FROM silver.pool_request r CROSS JOIN site.setting c
    WHERE near_days(r.day, $first_day, $last_day) AND r.operation = 'restore' AND r.outcome = 'done'
      AND $group IN ('', r.storage_group)
      AND in_days(r.created_at, $first_day, $last_day, c.zone)
),
network AS (
    SELECT entity, value FROM site.fact
    WHERE name = 'network' AND coalesce(since_day <= $last_day, true) AND coalesce(until_day > $last_day, true)
),
client AS (
    -- the longest beginning or end that fits
    SELECT t.client, arg_max(n.value, (length(n.entity), n.entity)) AS network
    FROM (SELECT DISTINCT client FROM silver.pool_transfer
          WHERE near_days(day, $first_day, $last_day + CAST(ceil($hours / 24) AS INTEGER)) AND mode = 'read') t
    JOIN network n ON starts_with(t.client, n.entity) OR ends_with(t.client, n.entity)
    GROUP BY t.client
),
matched AS (
    -- a read belongs to the latest recall before it, preferably to the pool that was read
    SELECT r.no, t.protocol, coalesce(c.network, 'elsewhere') AS network, t.started_at
    FROM restore r
    JOIN silver.pool_transfer t ON t.system = r.system AND t.pnfsid = r.pnfsid AND t.mode = 'read' AND t.error_code = 0
         AND near_days(t.day, $first_day, $last_day + CAST(ceil($hours / 24) AS INTEGER))
         AND t.started_at >= r.created_at AND t.started_at <= r.created_at + to_microseconds(CAST($hours * 3.6e9 AS BIGINT))
    LEFT JOIN client c ON c.client = t.client
    QUALIFY row_number() OVER (
        PARTITION BY t.file_id, t.line_no ORDER BY (r.pool = t.pool) DESC NULLS LAST, r.created_at DESC, r.no) = 1
),
observed AS (
    SELECT DISTINCT system FROM silver.pool_transfer
    WHERE near_days(day, $first_day, $last_day + CAST(ceil($hours / 24) AS INTEGER))
),
reader AS (
    SELECT no, string_agg(DISTINCT network, ' and ' ORDER BY network) AS read_from, count(*) AS n_reads,
           list(DISTINCT protocol) AS protocols, min(started_at) AS first_at
    FROM matched GROUP BY no
),
judged AS (
    SELECT r.*, t.n_reads, t.protocols, t.first_at,
           CASE WHEN h.system IS NULL THEN 'not recorded' ELSE coalesce(t.read_from, 'nobody') END AS read_from
    FROM restore r LEFT JOIN reader t ON t.no = r.no LEFT JOIN observed h ON h.system = r.system
),
summed AS (
    SELECT system, storage_group, read_from, count(*) AS n_restores, sum(bytes) / 1e9 AS restored_gb,
           CAST(coalesce(sum(n_reads), 0) AS BIGINT) AS n_reads,
           nullif(array_to_string(list_sort(list_distinct(flatten(list(protocols)))), ', '), '') AS protocols,
           quantile_cont(latency_s, 0.5) AS latency_p50_s,
           quantile_cont(greatest(0, date_diff('microsecond', ended_at, first_at) / 1e6), 0.5)
               FILTER (first_at IS NOT NULL) AS unread_p50_s
    FROM judged
    GROUP BY system, storage_group, read_from
)
SELECT system, storage_group, read_from, n_restores, restored_gb,
       n_restores / sum(n_restores) OVER (PARTITION BY system, storage_group) AS share, n_reads, protocols, latency_p50_s,
       unread_p50_s
FROM summed
ORDER BY system, storage_group NULLS LAST, n_restores DESC, read_from
