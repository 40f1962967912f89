"""What was changed shortly before a step: the nearest entry of the change log that touches what moved."""

from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from pipelines.analysis.findings.hit import Hit
from pipelines.catalog.contracts import Rule
from pipelines.warehouse.connection import Connection
from pipelines.warehouse.inputs import ask_input

QUOTED_CHARS = 55  # a fact goes into a sentence with at most 80 characters


class ChangeLog:
    """The entries of site.toml's change log, as explanations of findings."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def explain(self, rule: Rule, hit: Hit) -> dict[str, Any]:
        """Facts for a rule that looks for an explanation: `change` in words, and which one it is and how long before.

        An entry counts for `explain_hours`, and also after the step's instant as far as that is uncertain. That it is
        the cause, nearness does not prove.
        """
        hours = rule.params.get("explain_hours")
        if hours is None:
            return {}
        nearest = ask_input(
            self._connection,
            "nearest_change",
            since=hit.started_at - timedelta(hours=hours),
            until=hit.not_after or hit.started_at,
            names=sorted(hit.names),
            step_at=hit.started_at,
        )
        if nearest.height:
            return _found(hit.started_at, *nearest.row(0))
        return {"change": self._without_entries or f"no related change is recorded in the {hours:g} h before this time"}

    @cached_property
    def _without_entries(self) -> str:
        """Why no change can explain a finding; empty where an entry was read."""
        query = "SELECT count(*), count(*) FILTER (problem IS NULL) FROM site.change"
        ((n_entries, n_read),) = self._connection.execute(query).fetchall()
        if not n_entries:
            return "site.toml and its change log list no change, so the cause is unknown"
        return "" if n_read else "no entry of the change log could be read, so the cause is unknown"


def _found(step_at: datetime, change_id: str, changed_at: datetime, what: str) -> dict[str, Any]:
    after_hours = (step_at - changed_at) / timedelta(hours=1)
    quoted = what if len(what) <= QUOTED_CHARS else f"{what[: QUOTED_CHARS - 1]}…"
    when = f"{after_hours:.2g} h after" if after_hours > 0 else "about the time of"
    return {"change": f"{when} '{quoted}'", "change_id": change_id, "change_after_hours": after_hours}
