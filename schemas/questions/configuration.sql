/*
title = "What hosts, drives, pools and disks are made of"
topic = "changes"
why = "What site.toml's facts say of hosts, drives, pools and disks on a day: a rate is of a configuration."
takes = ["last_day", "entity"]

[columns]
entity = { type = "VARCHAR", doc = "host, drive, pool, disk or whatever else it is of" }
name = { type = "VARCHAR", doc = "name of the fact" }
value = { type = "VARCHAR", doc = "what it is" }
since_day = { type = "DATE", doc = "site day from which it holds; NULL: always" }
until_day = { type = "DATE", doc = "first site day on which it holds no more; NULL: it still holds" }
*/
SELECT entity, name, value, since_day, until_day
FROM site.fact
WHERE $entity IN ('', entity) AND coalesce(since_day <= $last_day, true) AND coalesce(until_day > $last_day, true)
ORDER BY entity, name
