/*
title = "Notes of people about a finding"
topic = "findings"
why = "Who acknowledged, muted, reopened or commented on a finding, when, and why. The last mark that is not a comment decides its state."

[params.finding]
type = "VARCHAR"
default = ""
doc = "id of one finding; default: all"

[columns]
number = { type = "BIGINT", doc = "order in which they were made" }
finding_id = { type = "VARCHAR", doc = "hash of rule and entity, the same every night" }
kind = { type = "VARCHAR", doc = "acknowledge, mute, reopen or note" }
made_at = { type = "TIMESTAMP", doc = "when it was made, UTC; NULL for marks of an older release" }
author = { type = "VARCHAR", doc = "who made it: sign-in address, or user name on the machine; NULL for marks of an older release" }
day = { type = "DATE", doc = "newest site day on which rules had run when the mark was made" }
until_day = { type = "DATE", doc = "last site day of a mute; NULL for good" }
note = { type = "VARCHAR", doc = "why" }
*/
SELECT number, finding_id, kind, made_at, author, day, until_day, note
FROM ops.finding_mark
WHERE $finding IN ('', finding_id)
ORDER BY number DESC
