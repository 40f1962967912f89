/*
title = "Configuration of hosts, drives, pools and disks"
topic = "changes"
why = "Lists the facts in site.toml that hold on a given day, for hosts, drives, pools and disks. Rates depend on this configuration."
takes = ["last_day", "entity"]

[columns]
entity = { type = "VARCHAR", doc = "host, drive, pool, disk or other entity that the fact describes" }
name = { type = "VARCHAR", doc = "name of the fact" }
value = { type = "VARCHAR", doc = "value of the fact" }
since_day = { type = "DATE", doc = "first site day on which the fact holds; NULL if it has no start" }
until_day = { type = "DATE", doc = "first site day on which the fact no longer holds; NULL if it has no end" }
*/
SELECT entity, name, value, since_day, until_day
FROM site.fact
WHERE $entity IN ('', entity) AND coalesce(since_day <= $last_day, true) AND coalesce(until_day > $last_day, true)
ORDER BY entity, name
