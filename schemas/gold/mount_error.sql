/*
title = "Errors of drives and tapes per mount"
grain = "one row per site day, drive, tape and mount in which the drive's error pages were read"
why = "Corrected errors become more frequent before uncorrectable errors occur. A comparison of errors per TB with earlier mounts shows whether the drive or the tape gets worse, while rates are still good."
partition = "month"

[columns]
day = { type = "DATE", doc = "site day on which the error pages were read" }
system = { type = "VARCHAR", doc = "archive system" }
drive = { type = "VARCHAR", doc = "drive" }
volume = { type = "VARCHAR", doc = "tape label; NULL where no error page names the tape" }
mount_id = { type = "VARCHAR", doc = "identifier of the mount, as in silver.scsi_counter; NULL where no error page names the mount" }
from_at = { type = "TIMESTAMP", doc = "time at which error pages were first read in the mount that day" }
to_at = { type = "TIMESTAMP", doc = "time at which error pages were last read in the mount that day" }
read_errors = { type = "BIGINT", doc = "read errors during the mount that day, corrected or not; NULL where the drive's error pages do not count them" }
write_errors = { type = "BIGINT", doc = "write errors during the mount that day, corrected or not; NULL where the drive's error pages do not count them" }
corrected_errors = { type = "BIGINT", doc = "corrected read and write errors during the mount that day. Error pages have a total, a count of errors corrected with delay, and a count of errors corrected without delay. The larger of the two is used: the total, or the sum of the two counts. NULL where the drive's error pages have no such counts" }
uncorrected_errors = { type = "BIGINT", doc = "read and write errors that the drive could not correct, during the mount that day; NULL where the drive's error pages do not count them" }
block_retries = { type = "BIGINT", doc = "number of blocks that the drive read or wrote again during the mount that day; NULL where the drive's error pages do not count them" }
bytes = { type = "DOUBLE", unit = "bytes", doc = "bytes read and written while the errors of the row were counted. The first of these pages that has the number is used: volume statistics page, sequential access page, error pages. In error pages, the unit depends on the vendor, so the value may not be in bytes. NULL where no page has the number" }
file_id = { type = "VARCHAR", doc = "log file with the mount's last error pages of the day" }
line_no = { type = "BIGINT", doc = "number of the line with the mount's last error pages of the day" }

[[checks]]
expectation = "ExpectColumnValuesToNotBeNull"
column = "drive"
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "bytes"
min_value = 0
severity = "critical"
*/
WITH rise AS (
    SELECT site_day(k.logged_at, c.zone) AS day, k.system, k.drive, k.volume, k.mount_id,
           min(k.logged_at) AS from_at, max(k.logged_at) AS to_at, k.counter, sum(k.rise) AS n,
           arg_max(k.file_id, (k.logged_at, k.file_id, k.line_no)) AS file_id,
           arg_max(k.line_no, (k.logged_at, k.file_id, k.line_no)) AS line_no
    FROM silver.scsi_counter k CROSS JOIN site.setting c
    WHERE k.scope = 'mount'
      AND regexp_matches(k.counter, '^mount(Total|(Read|Write)ErrorsCorrected|Megabytes(Read|Written)$|DataBytes)')
    GROUP BY ALL
),
mount AS (
    SELECT day, system, drive, volume, mount_id, min(from_at) AS from_at, max(to_at) AS to_at,
           sum(n) FILTER (counter IN ('mountTotalCorrectedReadErrors', 'mountTotalUncorrectedReadErrors')) AS read_errors,
           sum(n) FILTER (counter IN ('mountTotalCorrectedWriteErrors', 'mountTotalUncorrectedWriteErrors')) AS write_errors,
           greatest(sum(n) FILTER (counter LIKE 'mountTotalCorrected%Errors'),
                    sum(n) FILTER (counter LIKE 'mount%ErrorsCorrectedWith%')) AS corrected_errors,
           sum(n) FILTER (counter LIKE 'mountTotalUncorrected%') AS uncorrected_errors,
           sum(n) FILTER (counter IN ('mountTotalReadRetries', 'mountTotalWriteRetries')) AS block_retries,
           coalesce(1e6 * sum(n) FILTER (counter LIKE 'mountMegabytes%'),
                    sum(n) FILTER (counter IN ('mountDataBytesReceivedWithWRITECommands', 'mountDataBytesTransferredByREADCommands')),
                    sum(n) FILTER (counter LIKE 'mountTotal%BytesProcessed')) AS bytes,
           arg_max(file_id, (to_at, file_id, line_no)) AS file_id, arg_max(line_no, (to_at, file_id, line_no)) AS line_no
    FROM rise GROUP BY day, system, drive, volume, mount_id
    HAVING bool_or(regexp_matches(counter, '^mount(Total|(Read|Write)Errors)'))
)
SELECT day, system, drive, volume, mount_id, from_at, to_at, CAST(read_errors AS BIGINT) AS read_errors,
       CAST(write_errors AS BIGINT) AS write_errors, CAST(corrected_errors AS BIGINT) AS corrected_errors,
       CAST(uncorrected_errors AS BIGINT) AS uncorrected_errors, CAST(block_retries AS BIGINT) AS block_retries,
       CAST(bytes AS DOUBLE) AS bytes, file_id, line_no
FROM mount
