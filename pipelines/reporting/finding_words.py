"""Findings as people meet them: their rank, their signs, since when they are open, and what to do next."""

import re
from collections.abc import Sequence
from typing import Any

from pipelines.primitives.format import counted
from pipelines.primitives.times import day_text

Row = dict[str, Any]
# A sign and a word next to the colour: none of them alone carries the meaning.
SIGNS = {"critical": ("■", "critical"), "warning": ("▲", "warning"), "info": ("●", "note")}
SEVERITIES = tuple(SIGNS)
SET_ASIDE = ("acknowledged", "muted")  # a person knows
_BETWEEN_SENTENCES = re.compile(r"(?<=\.) ")
_COUNTED = {"critical": "critical problem", "warning": "warning", "info": "note"}


def ranked(rows: Sequence[Row]) -> list[list[Row]]:
    """Findings with their spells, the worst spell first: set-aside ones last, then by severity and gain.

    >>> usual = {"severity": "warning", "state": "open", "lost_hours": None, "lost_gb_day": None, "gain_gb_day": None}
    >>> rows = [usual | {"finding_id": "a", "state": "muted"}, usual | {"finding_id": "b", "gain_gb_day": 2.0}]
    >>> found = ranked([*rows, usual | {"finding_id": "c", "gain_gb_day": 5.0}, rows[1] | {"lost_hours": 1.0}])
    >>> [(spells[0]["finding_id"], len(spells)) for spells in found]
    [('c', 1), ('b', 2), ('a', 1)]
    """
    by_id: dict[str, list[Row]] = {}
    for row in rows:
        by_id.setdefault(row["finding_id"], []).append(row)
    return sorted((sorted(spells, key=_rank) for spells in by_id.values()), key=lambda spells: _rank(spells[0]))


def _rank(row: Row) -> tuple[bool, int, float, float]:
    brings = row["lost_gb_day"] if row["gain_gb_day"] is None else row["gain_gb_day"]
    is_aside = row["state"] in SET_ASIDE
    return is_aside, SEVERITIES.index(row["severity"]), -(brings or 0.0), -(row["lost_hours"] or 0.0)


def tally(rows: Sequence[Row]) -> str:
    """How many of each severity.

    >>> tally([{"severity": "critical"}, {"severity": "warning"}, {"severity": "warning"}, {"severity": "info"}])
    '1 critical problem, 2 warnings and 1 note'
    """
    numbers = {name: sum(row["severity"] == name for row in rows) for name in SEVERITIES}
    parts = [counted(n, _COUNTED[name]) for name, n in numbers.items() if n]
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def since(life: Row) -> str:
    """How long a finding has been open, from its row in the question `finding_life`.

    >>> from datetime import date
    >>> since({"state": "open", "n_days": 4, "first_day": date(2010, 3, 7)})
    'open for 4 nights, first on 7 March 2010'
    >>> since({"state": "muted", "until_day": date(2010, 3, 20), "note": "spare part ordered"})
    'muted until 20 March 2010: spare part ordered'
    >>> since({"state": "gone", "n_days": 1, "first_day": date(2010, 3, 7), "gone_day": date(2010, 3, 8)})
    'gone since 8 March 2010; was open for 1 night, first on 7 March 2010'
    """
    state = life.get("state")
    if state in SET_ASIDE:
        until = f" until {day_text(life['until_day'])}" if life.get("until_day") else ""
        return f"{state}{until}" + (f": {life['note']}" if life.get("note") else "")
    if not state or state == "new":
        return "new"
    stood = f"for {counted(life['n_days'], 'night')}, first on {day_text(life['first_day'])}"
    return f"gone since {day_text(life['gone_day'])}; was open {stood}" if state == "gone" else f"{state} {stood}"


def steps(look_at: str) -> list[str]:
    """What a rule recommends, a sentence each: some are steps, others alternatives.

    >>> steps("Check the part that it names. `request`: first the client; then the queue of version 2.1.")
    ['Check the part that it names.', '`request`: first the client; then the queue of version 2.1.']
    """
    return [part for part in _BETWEEN_SENTENCES.split(look_at.strip()) if part]
