/*
title = "Tapes that hold several kinds of data"
topic = "tapes"
why = "If two kinds of data share a tape and only one is read, the drive must wind past the files of the other kind. Each file read then costs more tape motion than on a tape with a single kind."
takes = ["first_day", "last_day"]

[params.kind]
type = "VARCHAR"
default = '(?i)[/_.-](raw|rec[o]?|esd|aod|dst|ntuple|sim|mc|hist|user)(?:[/_.-]|$)'
doc = "regular expression that is searched in the path of each file; its first group (in parentheses) matches the kind of data"

[columns]
system = { type = "VARCHAR", doc = "archive system" }
volume = { type = "VARCHAR", doc = "tape label of a tape from which files were read in the period" }
kinds = { type = "VARCHAR", doc = "kinds of data on the tape, each with its number of files. The path of a file shows its kind. If no path on the tape shows a kind, the file family is the kind; otherwise, files whose path shows no kind are left out" }
n_kinds = { type = "BIGINT", doc = "number of kinds of data on the tape" }
kinds_read = { type = "VARCHAR", doc = "kinds of data that were read from the tape in the period" }
n_read = { type = "BIGINT", doc = "number of different files of the kinds in kinds_read that were read from the tape in the period" }
n_between = { type = "BIGINT", doc = "number of files of unread kinds that are between the first and the last file read" }
position_s = { type = "DOUBLE", unit = "s", doc = "mean time of tape motion per file read from this tape" }
alone_s = { type = "DOUBLE", unit = "s", doc = "mean time of tape motion per file read from tapes that hold a single kind; NULL where no such tape was read" }
lost_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours that mixing kinds cost: n_read x (position_s - alone_s) / 3600, at least 0. 0 for a tape with a single kind; NULL for other tapes if alone_s is NULL" }
*/
WITH mount AS (
    SELECT session_id, system, volume, n_files, position_s FROM gold.mount
    WHERE site_day BETWEEN $first_day AND $last_day AND mode = 'read' AND position_s IS NOT NULL
),
cost AS (
    SELECT system, volume, sum(n_files) AS n_files, sum(position_s) AS position_s FROM mount GROUP BY system, volume
),
taken AS (
    SELECT DISTINCT t.system, t.volume, t.file_number, t.file_family
    FROM silver.transfer t SEMI JOIN mount m ON m.session_id = t.session_id
    WHERE near_days(t.day, $first_day, $last_day) AND t.status = 'ok' AND t.file_number IS NOT NULL
),
family AS (
    SELECT system, volume, file_number, any_value(file_family) AS file_family
    FROM silver.transfer SEMI JOIN cost USING (system, volume)
    WHERE file_number IS NOT NULL AND file_family IS NOT NULL GROUP BY system, volume, file_number
),
file AS (
    SELECT f.system, f.volume, f.file_number, lower(nullif(regexp_extract(f.path, $kind, 1), '')) AS path_kind, y.file_family,
           t.file_number IS NOT NULL AS is_read
    FROM silver.volume_file f SEMI JOIN cost c ON c.system = f.system AND c.volume = f.volume
    LEFT JOIN taken t ON t.system = f.system AND t.volume = f.volume AND t.file_number = f.file_number
    LEFT JOIN family y ON y.system = f.system AND y.volume = f.volume AND y.file_number = f.file_number
),
-- a file family means nothing next to kinds: on a tape whose paths show kinds, files without a path are left out
kinded AS (
    SELECT *, CASE WHEN bool_or(path_kind IS NOT NULL) OVER (PARTITION BY system, volume) THEN path_kind ELSE file_family END
               AS kind
    FROM file
),
counted AS (
    SELECT system, volume, kind, count(*) AS n, count_if(is_read) AS n_read,
           min(file_number) FILTER (is_read) AS first_read, max(file_number) FILTER (is_read) AS last_read
    FROM kinded WHERE kind IS NOT NULL GROUP BY system, volume, kind
),
tape AS (
    SELECT system, volume, string_agg(kind || ' ' || n, ', ' ORDER BY n DESC, kind) AS kinds, count(*) AS n_kinds,
           string_agg(kind, ', ' ORDER BY kind) FILTER (n_read > 0) AS kinds_read,
           list(kind) FILTER (n_read > 0) AS read_list, sum(n_read) AS n_read, min(first_read) AS first_read, max(last_read) AS last_read
    FROM counted GROUP BY system, volume
),
costed AS (
    SELECT t.*, c.position_s / nullif(c.n_files, 0) AS position_s,
           (SELECT sum(o.position_s) / sum(o.n_files) FROM tape s JOIN cost o ON o.system = s.system AND o.volume = s.volume
            WHERE s.n_kinds = 1) AS alone_s
    FROM tape t JOIN cost c ON c.system = t.system AND c.volume = t.volume
)
SELECT t.system, t.volume, t.kinds, t.n_kinds, t.kinds_read, CAST(t.n_read AS BIGINT) AS n_read,
       (SELECT count(*) FROM kinded f WHERE f.system = t.system AND f.volume = t.volume AND NOT list_contains(t.read_list, f.kind)
           AND f.file_number BETWEEN t.first_read AND t.last_read) AS n_between,
       t.position_s, t.alone_s,
       CASE WHEN t.n_kinds = 1 THEN 0 WHEN t.alone_s IS NOT NULL THEN t.n_read * greatest(0, t.position_s - t.alone_s) / 3600 END AS lost_hours
FROM costed t
ORDER BY lost_hours DESC NULLS LAST, n_kinds DESC, t.system, t.volume
