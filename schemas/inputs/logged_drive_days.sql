/*
title = "Days that have logs of drives"
why = "What a finding's price is spread over. A day counts of which a tenth or more is known of some drive: the first and last file of a log reach over midnight."
takes = ["first_day", "last_day"]

[columns]
n_days = { type = "BIGINT", doc = "site days" }
*/
SELECT count(DISTINCT day) AS n_days
FROM (
    SELECT day FROM gold.drive_ledger WHERE day BETWEEN $first_day AND $last_day
    GROUP BY day, drive
    HAVING coalesce(sum(duration_us) FILTER (bucket <> 'unknown'), 0) * 10 >= max(day_us)
)
