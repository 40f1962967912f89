/*
title = "Reading single files compared with reading the complete tape"
grain = "one row per pair of mounts that read the same tape: one with pattern complete in gold.mount (the complete read), the other with at least two different files and another pattern (the partial read)"
why = "Compares a mount that read the complete tape in order with a mount that read only some of its files, or read them in another order. Shows above which share of a tape's files the complete read is faster. The two mounts may be from different days."
lineage = []
features = ["D10", "P43", "S3"]

[columns]
system = { type = "VARCHAR", doc = "archive system" }
volume = { type = "VARCHAR", doc = "tape label" }
session_id = { type = "VARCHAR", doc = "identifier of the mount with the partial read" }
drive = { type = "VARCHAR", doc = "drive of the partial read" }
site_day = { type = "DATE", doc = "site day of the partial read" }
requested_at = { type = "TIMESTAMP", doc = "when the mount with the partial read was requested. If the request was not logged: time of the first logged step of this mount" }
pattern = { type = "VARCHAR", doc = "read pattern of the partial read: sequential, alternate, sparse or random" }
n_files = { type = "BIGINT", doc = "number of different files in the partial read" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "data moved by the partial read" }
wall_s = { type = "DOUBLE", unit = "s", doc = "duration of the mount with the partial read, from request to the end of its dismount (wall_s of gold.mount)" }
seek_s = { type = "DOUBLE", unit = "s", doc = "average time of tape motion per file in the partial read" }
skipped_gb = { type = "DOUBLE", unit = "GB", doc = "average amount of data that the drive wound past without reading it, per file in the partial read" }
whole_session_id = { type = "VARCHAR", doc = "identifier of the mount with the complete read" }
whole_drive = { type = "VARCHAR", doc = "drive of the complete read" }
whole_s = { type = "DOUBLE", unit = "s", doc = "duration of the mount with the complete read, from request to the end of its dismount (wall_s of gold.mount)" }
n_volume_files = { type = "BIGINT", doc = "number of files on the tape" }
file_share = { type = "DOUBLE", unit = "1", doc = "share of the tape's files in the partial read" }
break_even = { type = "DOUBLE", unit = "1", doc = "share of the tape's files above which it is faster to read the complete tape. It is the time per file of the complete read / the time per file of the partial read: (whole_s / n_volume_files) / (wall_s / n_files)" }
is_whole_quicker = { type = "BOOLEAN", doc = "true if the complete read took less time than the partial read" }

[[checks]]
expectation = "ExpectCompoundColumnsToBeUnique"
column_list = ["system", "session_id", "whole_session_id"]
severity = "critical"

[[checks]]
expectation = "ExpectColumnValuesToBeBetween"
column = "break_even"
min_value = 0
severity = "critical"
*/
SELECT p.system, p.volume, p.session_id, p.drive, p.site_day, p.begun_at AS requested_at, p.pattern, p.n_different AS n_files,
       p.volume_gb, p.wall_s, p.position_s / p.n_different AS seek_s, p.skipped_gb / p.n_different AS skipped_gb,
       w.session_id AS whole_session_id, w.drive AS whole_drive, w.wall_s AS whole_s, w.n_volume_files,
       p.file_share, (w.wall_s / w.n_volume_files) / (p.wall_s / p.n_different) AS break_even,
       w.wall_s < p.wall_s AS is_whole_quicker
FROM gold.mount p
JOIN gold.mount w ON w.system = p.system AND w.volume = p.volume AND w.pattern = 'complete' AND w.wall_s > 0
WHERE p.pattern IN ('sequential', 'alternate', 'sparse', 'random') AND p.wall_s > 0 AND p.n_different > 1
