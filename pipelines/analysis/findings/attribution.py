"""What was changed shortly before a step: the nearest entry of the change log that touches what moved."""

from datetime import datetime, timedelta
from typing import Any

from pipelines.analysis.findings.hit import Hit
from pipelines.catalog.contracts import Rule
from pipelines.warehouse.connection import LAKE, Connection

QUOTED_CHARS = 55  # a fact goes into a sentence with at most 80 characters

_NEAREST = f"""
SELECT change_id, changed_at, any_value(what) AS what FROM {LAKE}.site.change
WHERE problem IS NULL AND changed_at BETWEEN $since AND $until
  AND (entity IS NULL OR entity IN (SELECT unnest($names)) OR split_part(entity, '.', 1) IN (SELECT unnest($names)))
GROUP BY change_id, changed_at
ORDER BY abs(epoch(changed_at) - epoch(CAST($step_at AS TIMESTAMP))), bool_or(entity IS NULL), changed_at, change_id
LIMIT 1
"""


def explain(connection: Connection, rule: Rule, hit: Hit) -> dict[str, Any]:
    """Facts for a rule that looks for an explanation: `change` in words, and which one it is and how long before.

    An entry counts for `explain_hours`, and also after the step's instant as far as that is uncertain. That it is the
    cause, nearness does not prove.
    """
    hours = rule.params.get("explain_hours")
    if hours is None:
        return {}
    row = connection.execute(
        _NEAREST,
        {
            "since": hit.started_at - timedelta(hours=hours),
            "until": hit.not_after or hit.started_at,
            "names": sorted(hit.names),
            "step_at": hit.started_at,
        },
    ).fetchone()
    if row is not None:
        return _found(hit.started_at, *row)
    (n_changes,) = connection.execute(f"SELECT count(*) FROM {LAKE}.site.change WHERE problem IS NULL").fetchone() or (
        0,
    )
    if not n_changes:
        return {"change": "no change log is kept, so nothing tells why"}
    return {"change": f"the change log names nothing in the {hours:g} h before"}


def _found(step_at: datetime, change_id: str, changed_at: datetime, what: str) -> dict[str, Any]:
    after_hours = (step_at - changed_at) / timedelta(hours=1)
    quoted = what if len(what) <= QUOTED_CHARS else f"{what[: QUOTED_CHARS - 1]}…"
    when = f"{after_hours:.2g} h after" if after_hours > 0 else "about the time of"
    return {"change": f"{when} '{quoted}'", "change_id": change_id, "change_after_hours": after_hours}
