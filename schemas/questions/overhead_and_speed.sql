/*
title = "Overhead per file and speed, by drive technology"
topic = "gaps"
why = "Finds the overhead and the speed that best fit the formula: time for a file = overhead + bytes / speed. Reads and writes are fitted separately. No row appears where no fit is possible: with fewer than three files, with files of similar size, or where larger files do not take longer."
takes = ["first_day", "last_day"]

[columns]
generation = { type = "VARCHAR", doc = "technology of the drives; NULL where site.toml does not name it" }
mode = { type = "VARCHAR", doc = "read or write" }
n_files = { type = "BIGINT", doc = "number of files to which the formula was fitted. Files without a logged gap before them, such as the first file of a mount, are left out" }
overhead_s = { type = "DOUBLE", unit = "s", doc = "time per file in addition to bytes / speed: tape motion before the file, and a fixed time in the drive" }
speed_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "rate at which the bytes of a file move, not counting the overhead" }
r2 = { type = "DOUBLE", unit = "1", doc = "quality of the fit (R2): share of the variance in time per file that file sizes explain" }
*/
WITH file AS (
    SELECT d.generation, t.mode, t.bytes / 1e6 AS mb, t.drive_s + g.position_s AS service_s
    FROM silver.gap g
    JOIN silver.transfer t ON t.system = g.system AND t.transfer_id = g.next_transfer_id
    JOIN site.drive d ON d.drive = t.drive
    CROSS JOIN site.setting c
    WHERE t.status = 'ok' AND t.drive_s > 0 AND t.day >= $first_day - 1
      AND near_days(g.day, $first_day, $last_day)
      AND in_days(g.started_at, $first_day, $last_day, c.zone)
)
SELECT generation, mode, count(*) AS n_files, regr_intercept(service_s, mb) AS overhead_s,
       1 / regr_slope(service_s, mb) AS speed_mb_s, regr_r2(service_s, mb) AS r2
FROM file
GROUP BY generation, mode
HAVING count(*) >= 3 AND stddev_samp(mb) / avg(mb) > 0.3 AND regr_slope(service_s, mb) > 0
ORDER BY generation, mode
