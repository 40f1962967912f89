"""What was changed shortly before a step: the nearest entry of the change log that touches what moved."""

from datetime import datetime, timedelta
from typing import Any

from pipelines.analysis.findings.hit import Hit
from pipelines.catalog.contracts import Rule
from pipelines.warehouse.connection import LAKE, Connection
from pipelines.warehouse.inputs import ask_input

QUOTED_CHARS = 55  # a fact goes into a sentence with at most 80 characters


def explain(connection: Connection, rule: Rule, hit: Hit) -> dict[str, Any]:
    """Facts for a rule that looks for an explanation: `change` in words, and which one it is and how long before.

    An entry counts for `explain_hours`, and also after the step's instant as far as that is uncertain. That it is the
    cause, nearness does not prove.
    """
    hours = rule.params.get("explain_hours")
    if hours is None:
        return {}
    nearest = ask_input(
        connection,
        "nearest_change",
        since=hit.started_at - timedelta(hours=hours),
        until=hit.not_after or hit.started_at,
        names=sorted(hit.names),
        step_at=hit.started_at,
    )
    if nearest.height:
        return _found(hit.started_at, *nearest.row(0))
    (n_changes,) = connection.execute(f"SELECT count(*) FROM {LAKE}.site.change WHERE problem IS NULL").fetchone() or (
        0,
    )
    if not n_changes:
        return {"change": "there is no change log, so the cause is unknown"}
    return {"change": f"the change log has no entry in the {hours:g} h before this time"}


def _found(step_at: datetime, change_id: str, changed_at: datetime, what: str) -> dict[str, Any]:
    after_hours = (step_at - changed_at) / timedelta(hours=1)
    quoted = what if len(what) <= QUOTED_CHARS else f"{what[: QUOTED_CHARS - 1]}…"
    when = f"{after_hours:.2g} h after" if after_hours > 0 else "about the time of"
    return {"change": f"{when} '{quoted}'", "change_id": change_id, "change_after_hours": after_hours}
