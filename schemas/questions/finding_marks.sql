/*
title = "What people noted of a finding"
topic = "findings"
why = "Who acknowledged, muted, reopened or commented on a finding, when, and why: the last one but a comment decides its state."

[params.finding]
type = "VARCHAR"
default = ""
doc = "id of one finding; all of them if left out"

[columns]
number = { type = "BIGINT", doc = "in the order they were made" }
finding_id = { type = "VARCHAR", doc = "the same from night to night: of rule and entity" }
kind = { type = "VARCHAR", doc = "acknowledge, mute, reopen or note" }
made_at = { type = "TIMESTAMP", doc = "when it was made, UTC; NULL for those that an older release kept" }
author = { type = "VARCHAR", doc = "who made it: the address they signed in with, or their name on the machine; NULL for those that an older release kept" }
day = { type = "DATE", doc = "newest site day that was judged then" }
until_day = { type = "DATE", doc = "last site day of a mute; NULL for good" }
note = { type = "VARCHAR", doc = "why" }
*/
SELECT number, finding_id, kind, made_at, author, day, until_day, note
FROM ops.finding_mark
WHERE $finding IN ('', finding_id)
ORDER BY number DESC
