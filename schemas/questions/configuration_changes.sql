/*
title = "What changed in the configuration between two days?"
topic = "changes"
why = "Compares the facts of site.toml on two days, one by one. A difference may explain a difference in rates."
takes = ["first_day", "last_day", "entity"]

[columns]
entity = { type = "VARCHAR", doc = "host, drive, pool, disk or other entity that the fact describes" }
name = { type = "VARCHAR", doc = "name of the fact" }
was = { type = "VARCHAR", doc = "value of the fact on the first day; NULL where there was no value" }
is_now = { type = "VARCHAR", doc = "value of the fact on the last day; NULL where the fact no longer holds" }
changed_day = { type = "DATE", doc = "site day of the latest change of the fact's value, up to the period's last day" }
*/
WITH state AS (
    SELECT entity, name,
           any_value(value) FILTER (coalesce(since_day <= $first_day, true) AND coalesce(until_day > $first_day, true)) AS was,
           any_value(value) FILTER (coalesce(since_day <= $last_day, true) AND coalesce(until_day > $last_day, true)) AS is_now,
           max(since_day) FILTER (since_day <= $last_day) AS stated_day,
           max(until_day) FILTER (until_day <= $last_day) AS ended_day
    FROM site.fact
    WHERE $entity IN ('', entity)
    GROUP BY entity, name
)
SELECT entity, name, was, is_now, greatest(stated_day, ended_day) AS changed_day
FROM state
WHERE was IS DISTINCT FROM is_now
ORDER BY entity, name
