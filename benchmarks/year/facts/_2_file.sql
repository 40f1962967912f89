-- One row per file of those mounts: the parts of the pause before it, and the time in which it moved, in whole seconds.
CREATE OR REPLACE TEMP TABLE file AS
WITH numbered AS (
    SELECT m.*, unnest(range(n_files)) AS j FROM mount m WHERE status = 'ok'
),
named AS (
    SELECT *, CASE WHEN is_write THEN fill * getvariable('files') + j + 1
                   ELSE 1 + CAST(floor((j + rnd(session_id, j, 2)) * 10 * getvariable('files') / n_files) AS BIGINT) END
               AS file_number
    FROM numbered
),
sized AS (
    SELECT *, file_bytes(volume, file_number) AS bytes,
           file_bytes(volume, file_number) / (1e6 * speed_mb_s * (0.95 + 0.1 * rnd(session_id, j, 3))) AS drive_s,
           rnd(session_id, j, 4) AS chance
    FROM named
),
timed AS (
    SELECT *, drive_s * 0.08 * chance AS wait_s, greatest(1, CAST(ceil(drive_s * (1 + 0.08 * chance)) AS BIGINT)) AS transfer_s,
           CASE WHEN is_write AND j > 0 THEN 2 ELSE 0 END AS filemark_s, CASE WHEN j > 0 THEN 1 ELSE 0 END AS database_s,
           CASE WHEN j > 0 AND chance > 0.97 THEN 15 ELSE 0 END AS no_request_s,
           CASE WHEN j = 0 THEN 0 WHEN is_gappy THEN 9 + CAST(floor(3 * chance) AS BIGINT)
                ELSE 1 + CAST(floor(3 * chance) AS BIGINT) END AS request_s,
           CASE WHEN j = 0 THEN 30 WHEN is_write THEN 0 ELSE CAST(floor(3 + 20 * chance * chance) AS BIGINT) END AS position_s,
           CASE WHEN j > 0 AND chance > 0.5 THEN 1 ELSE 0 END AS start_s
    FROM sized
),
placed AS (
    SELECT *, filemark_s + database_s + no_request_s + request_s + position_s + start_s AS gap_s,
           mounted_at + to_seconds(CAST(sum(filemark_s + database_s + no_request_s + request_s + position_s + start_s
                                            + transfer_s) OVER so_far - transfer_s AS BIGINT)) AS started_at
    FROM timed
    WINDOW so_far AS (PARTITION BY session_id ORDER BY j ROWS UNBOUNDED PRECEDING)
),
kept AS (
    SELECT * EXCLUDE (line_no), line_no + 12 * j + 2 AS line_no, started_at + to_seconds(transfer_s) AS ended_at,
           drive || ' ' || strftime(started_at, '%Y-%m-%dT%H:%M:%SZ') AS transfer_id,
           format('{}.example.org-{}-{}-{}', station, epoch(begun_at)::BIGINT, place, j) AS unique_id,
           station || '.example.org ' || (1000 + number) AS client,
           CASE WHEN rnd(session_id, j, 5) < 0.0005 THEN 'failed' ELSE 'ok' END AS outcome
    FROM placed
    WHERE started_at + to_seconds(transfer_s) < until_at
)
SELECT *, lag(transfer_id) OVER mounted AS before_id, lag(line_no) OVER mounted AS before_line,
       lag(bytes / drive_s) OVER mounted AS before_rate
FROM kept
WINDOW mounted AS (PARTITION BY session_id ORDER BY j)
