/*
title = "Where the data of an MRTG file begin"
grain = "one row per MRTG log file"
why = "A fresh log is filled with zeros for two years: zeros older than the first traffic are not data."
lineage = ["file_id"]

[columns]
file_id = { type = "VARCHAR", doc = "file" }
data_from_at = { type = "TIMESTAMP", doc = "begin of the oldest row with traffic; NULL where all rows are zero" }
*/
SELECT file_id, min(CASE WHEN in_bytes_s > 0 OR out_bytes_s > 0 OR in_max_bytes_s > 0 OR out_max_bytes_s > 0
                         THEN from_at END) AS data_from_at
FROM bronze.mrtg_log
GROUP BY file_id
