/*
title = "Timed tests"
why = "What disks and paths did when tried alone, the processor time it cost, and what makes a figure doubtful."
takes = ["host"]

[columns]
host = { type = "VARCHAR", doc = "host" }
ended_at = { type = "TIMESTAMP", doc = "end of the run, UTC; NULL where nothing says when it was" }
tool = { type = "VARCHAR", doc = "what printed it" }
mode = { type = "VARCHAR", doc = "read, write or copy; NULL where no dd command is shown" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "moved" }
block_bytes = { type = "BIGINT", unit = "bytes", doc = "block size" }
elapsed_s = { type = "DOUBLE", unit = "s", doc = "wall clock" }
rate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "bytes / wall clock" }
cpu_cost = { type = "DOUBLE", unit = "s/GB", doc = "processor seconds for each GB moved" }
cpu_share = { type = "DOUBLE", unit = "1", doc = "processor seconds / wall clock: of one processor" }
is_plausible = { type = "BOOLEAN", doc = "a rate to compare with; NULL without a rate" }
doubt = { type = "VARCHAR", doc = "what makes the figure doubtful" }
command = { type = "VARCHAR", doc = "the command, where the file shows it" }
*/
SELECT host, ended_at, tool, mode, bytes / 1e9 AS volume_gb, block_bytes, elapsed_s, rate_bytes_s / 1e6 AS rate_mb_s,
       cpu_s / nullif(bytes / 1e9, 0) AS cpu_cost, cpu_s / nullif(elapsed_s, 0) AS cpu_share, is_plausible, doubt, command
FROM silver.benchmark_run
WHERE $host = '' OR host = $host
ORDER BY is_plausible IS NOT TRUE, host, ended_at, file_id, line_no
