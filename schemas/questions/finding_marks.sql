/*
title = "Who acknowledged, muted or commented on a finding?"
topic = "findings"
why = "Shows who acknowledged, muted, reopened or commented on a finding, when and why. The newest mark that is not a comment decides the finding's state."

[params.finding]
type = "VARCHAR"
default = ""
doc = "id of one finding; default: all findings"

[columns]
number = { type = "BIGINT", doc = "position of the mark in the order in which marks were made" }
finding_id = { type = "VARCHAR", doc = "id of the finding: a hash of its rule and entity, so it is the same every day" }
kind = { type = "VARCHAR", doc = "kind of the mark: acknowledge, mute, reopen or note (a comment)" }
made_at = { type = "TIMESTAMP", doc = "when the mark was made, UTC; NULL for marks made with an older release of tapescope" }
author = { type = "VARCHAR", doc = "who made the mark: sign-in address, or user name on the machine; NULL for marks made with an older release of tapescope" }
day = { type = "DATE", doc = "newest site day for which the rules had judged the finding when the mark was made" }
until_day = { type = "DATE", doc = "last site day on which the finding is muted; NULL for a permanent mute, and for other kinds of mark" }
note = { type = "VARCHAR", doc = "reason or comment that the author wrote" }
*/
SELECT number, finding_id, kind, made_at, author, day, until_day, note
FROM ops.finding_mark
WHERE $finding IN ('', finding_id)
ORDER BY number DESC
