/*
title = "Days covered by logs of drives"
why = "Counts the days over which the cost of a finding is averaged. A day counts only if logs cover at least one drive for a tenth of the day or more. A log file that extends only a little past midnight thus does not add a day."
takes = ["first_day", "last_day"]

[columns]
n_days = { type = "BIGINT", doc = "number of site days on which logs cover at least one drive for a tenth of the day or more" }
*/
SELECT count(DISTINCT day) AS n_days
FROM gold.drive_day
WHERE day BETWEEN $first_day AND $last_day AND 10 * covered_us >= day_us
