/*
title = "Order of the files in a mount, and their places on the tape"
topic = "mounts"
why = "Shows the order in which a mount read or wrote files, and the tape motion to each file."
takes = ["session"]

[params.n]
type = "BIGINT"
default = "20000"
doc = "maximum number of files; the first files of the mount are listed"

[columns]
number = { type = "BIGINT", doc = "position of the file in the order in which the mount read or wrote files" }
volume = { type = "VARCHAR", doc = "tape label" }
file_number = { type = "BIGINT", doc = "position of the file on the tape, counted in files" }
started_at = { type = "TIMESTAMP", doc = "time of the first block of the file, UTC" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "size of the file" }
begin_gb = { type = "DOUBLE", unit = "GB", doc = "data on the tape before this file: sum of the known sizes of the earlier files. NULL where the size or place of this file is not known" }
position_s = { type = "DOUBLE", unit = "s", doc = "time of tape motion from the previous file to this one; NULL for the first file, and where no log shows the gap between the files" }
*/
WITH moved AS MATERIALIZED (
    SELECT t.system, t.transfer_id, t.volume, t.file_number, t.started_at, t.bytes
    FROM silver.transfer t WHERE t.session_id = $session AND t.status = 'ok'
),
placed AS (
    SELECT f.system, f.volume, f.file_number,
           sum(f.bytes) OVER (PARTITION BY f.system, f.volume ORDER BY f.file_number) - f.bytes AS begin_bytes
    FROM silver.volume_file f SEMI JOIN moved m ON m.system = f.system AND m.volume = f.volume
)
SELECT row_number() OVER (ORDER BY m.started_at, m.transfer_id) AS number, m.volume, m.file_number, m.started_at,
       m.bytes / 1e9 AS volume_gb, p.begin_bytes / 1e9 AS begin_gb, g.position_s
FROM moved m
LEFT JOIN placed p ON p.system = m.system AND p.volume = m.volume AND p.file_number = m.file_number
LEFT JOIN silver.gap g
    ON g.session_id = $session AND g.system = m.system AND g.next_transfer_id = m.transfer_id
ORDER BY number
LIMIT $n
