/*
title = "Files on volumes"
grain = "one row per file of a volume that some transfer met"
why = "What a complete read of the tape would be, as far as logs know it."
lineage = []

[columns]
system = { type = "VARCHAR", doc = "archive system" }
volume = { type = "VARCHAR", doc = "tape label" }
file_number = { type = "BIGINT", doc = "number of the file on the volume" }
bytes = { type = "BIGINT", unit = "bytes", doc = "on tape, the largest a finished transfer moved" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "volume", "file_number"]
severity = "critical"
*/
SELECT system, volume, file_number, max(bytes) AS bytes
FROM silver.transfer
WHERE status = 'ok' AND volume IS NOT NULL AND file_number IS NOT NULL
GROUP BY system, volume, file_number
