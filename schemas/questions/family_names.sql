/*
title = "File families whose names break the convention"
topic = "requests"
why = "If one file family holds files that belong in several families, its tapes mix data that is not read together. This lists families whose names do not match the site's naming convention."
takes = ["first_day", "last_day"]

[params.pattern]
type = "VARCHAR"
default = "t1d0(mc|data_.+)_(RAW|RECO|AOD|ALCARECO)"
doc = "regular expression that a family's complete name must match. The default is the convention of CMS at a Tier-1 site: simulated data by kind of data (such as RAW), real data by data set and kind of data"

[columns]
system = { type = "VARCHAR", doc = "archive system" }
storage_group = { type = "VARCHAR", doc = "storage group: owner of the files, e.g. an experiment" }
file_family = { type = "VARCHAR", doc = "file family whose name does not match the regular expression; files without a family are left out" }
n_files = { type = "BIGINT", doc = "number of files of the family whose transfer was completed in the period" }
volume_gb = { type = "DOUBLE", unit = "GB", doc = "data of the family that moved to or from tape in the period; only files that were moved completely count" }
busy_hours = { type = "DOUBLE", unit = "h", doc = "drive-hours spent on files of the family, including mounting; time in which the drive had no request does not count" }
*/
SELECT system, storage_group, file_family, CAST(sum(n_files) AS BIGINT) AS n_files, sum(volume_gb) AS volume_gb,
       sum(busy_hours) AS busy_hours
FROM gold.family_rate
WHERE day BETWEEN $first_day AND $last_day AND file_family IS NOT NULL
  AND NOT regexp_full_match(file_family, $pattern)
GROUP BY system, storage_group, file_family
ORDER BY busy_hours DESC, system, storage_group, file_family
