/*
title = "People's marks on a finding"
topic = "findings"
why = "Who acknowledged, muted, reopened or commented on a finding, when and why. The last mark that is not a comment decides the finding's state."

[params.finding]
type = "VARCHAR"
default = ""
doc = "id of one finding; default: all findings"

[columns]
number = { type = "BIGINT", doc = "order in which the marks were made" }
finding_id = { type = "VARCHAR", doc = "hash of the finding's rule and entity, the same every night" }
kind = { type = "VARCHAR", doc = "acknowledge, mute, reopen or note (a comment)" }
made_at = { type = "TIMESTAMP", doc = "when the mark was made, UTC; NULL for marks of an older release" }
author = { type = "VARCHAR", doc = "who made the mark: sign-in address, or user name on the machine; NULL for marks of an older release" }
day = { type = "DATE", doc = "newest site day on which rules had run when the mark was made" }
until_day = { type = "DATE", doc = "last site day of the mute; NULL for a mute without end, and for other marks" }
note = { type = "VARCHAR", doc = "why" }
*/
SELECT number, finding_id, kind, made_at, author, day, until_day, note
FROM ops.finding_mark
WHERE $finding IN ('', finding_id)
ORDER BY number DESC
