"""The states of a finding from night to night: new, open, returned or gone, and people's notes on it."""

import hashlib
import json
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime

from pipelines.analysis.finding_id import resolve_prefix
from pipelines.catalog.sql_inspect import execute
from pipelines.primitives.clock import Period
from pipelines.primitives.errors import TapescopeError
from pipelines.warehouse.connection import LAKE, Connection

ACKNOWLEDGE, MUTE, NOTE = "acknowledge", "mute", "note"


@dataclass(frozen=True)
class Mark:
    """A person's mark on a finding, on the newest day for which it was judged then."""

    kind: str
    day: date
    until: date | None = None


def identity(rule: str, entity: str) -> str:
    """The same from night to night: a cause is a rule and what it is about."""
    return hashlib.sha256(f"{rule}\n{entity}".encode()).hexdigest()[:12]


def state_of(day: date, judged: list[date], fired: set[date], marks: Iterable[Mark] = ()) -> str:
    """State on `day` of a finding that fired then, from the days `judged` (ascending) and those on which it `fired`.

    Open if the day judged before had it too, returned if only an earlier one had, else new. The last mark made by then
    comes first: a finding is muted until the day given, for good without one; acknowledged until it is gone.

    >>> days = [date(2010, 3, n) for n in (8, 9, 10, 11)]
    >>> [state_of(day, days, {days[0], days[1], days[3]}) for day in (days[0], days[1], days[3])]
    ['new', 'open', 'returned']
    >>> marks = [Mark("acknowledge", days[0])]
    >>> [state_of(day, days, {days[0], days[1], days[3]}, marks) for day in (days[0], days[1], days[3])]
    ['acknowledged', 'acknowledged', 'returned']
    >>> [state_of(days[3], days, {days[3]}, [Mark("mute", days[2], until=day)]) for day in days[2:]]
    ['new', 'muted']
    """
    place = bisect_left(judged, day)
    begun = day
    while place and judged[place - 1] in fired:
        place -= 1
        begun = judged[place]
    last = next((mark for mark in reversed(list(marks)) if mark.day <= day), None)
    if last and last.kind == MUTE and (last.until is None or last.until >= day):
        return "muted"
    if last and last.kind == ACKNOWLEDGE and last.day >= begun:
        return "acknowledged"
    if begun < day:
        return "open"
    return "returned" if any(other < day for other in fired) else "new"


@dataclass
class History:
    """Days that were judged, on which of them each finding fired, and the notes on it."""

    judged: list[date]
    seen: dict[str, set[date]] = field(default_factory=dict)
    withheld: dict[str, set[date]] = field(default_factory=dict)  # days on which a finding could not be judged
    marks: dict[str, list[Mark]] = field(default_factory=dict)
    entities: dict[str, dict[str, str]] = field(default_factory=dict)  # by rule and finding

    def state(self, finding_id: str, day: date) -> str:
        return state_of(day, self._judged(finding_id), self.seen.get(finding_id, set()), self.marks.get(finding_id, ()))

    def standing(self, rule: str, day: date) -> set[str]:
        """Entities of a rule's findings that fired on the last day before `day` on which they were judged."""
        found = set()
        for finding_id, entity in self.entities.get(rule, {}).items():
            before = [judged for judged in self._judged(finding_id) if judged < day]
            if before and before[-1] in self.seen[finding_id]:
                found.add(entity)
        return found

    def newest(self, finding_id: str) -> date:
        """The newest day that shows whether the finding is there. A mark on a later one would not reach it."""
        return max([*self._judged(finding_id), *self.seen[finding_id]])

    def _judged(self, finding_id: str) -> list[date]:
        unsaid = self.withheld.get(finding_id, set()) - self.seen.get(finding_id, set())
        return [day for day in self.judged if day not in unsaid]


def read_history(connection: Connection) -> History:
    """All that is known of the findings so far."""
    days = connection.execute(f"SELECT DISTINCT day FROM {LAKE}.ops.detection ORDER BY day").fetchall()
    history = History([row[0] for row in days])
    fired = f"SELECT DISTINCT finding_id, day, rule, entity FROM {LAKE}.gold.finding"
    for finding_id, day, rule, entity in connection.execute(fired).fetchall():
        history.seen.setdefault(finding_id, set()).add(day)
        history.entities.setdefault(rule, {})[finding_id] = entity
    unsaid = f"SELECT DISTINCT finding_id, day FROM {LAKE}.gold.suppressed_verdict WHERE finding_id IS NOT NULL"
    for finding_id, day in connection.execute(unsaid).fetchall():
        history.withheld.setdefault(finding_id, set()).add(day)
    marks = (
        f"SELECT finding_id, kind, day, until_day FROM {LAKE}.ops.finding_mark WHERE kind <> '{NOTE}' ORDER BY number"
    )
    for finding_id, kind, day, until in connection.execute(marks).fetchall():
        history.marks.setdefault(finding_id, []).append(Mark(kind, day, until))
    return history


def judged_on(connection: Connection, period: Period, n_findings: int) -> None:
    """Record that the rules ran for a period: without findings it is else like one they never saw.

    The hours of logs and the settings go with it: both may change later, and then the verdict no longer holds.
    """
    hours = execute(
        connection,
        f"SELECT source, round(sum(covered_s) / 3600, 3) FROM {LAKE}.ops.coverage"
        " WHERE covered_s > 0 AND hour_at >= ? AND hour_at < ? GROUP BY source ORDER BY source",
        list(period.bounds),
    ).fetchall()
    ((settings,),) = connection.execute(f"SELECT any_value(settings_hash) FROM {LAKE}.site.setting").fetchall()
    day = period.last
    row = (day, n_findings, period.first, json.dumps(dict(hours)), settings)
    columns = "day, n_findings, first_day, logs, settings_hash"
    present = execute(connection, f"SELECT {columns} FROM {LAKE}.ops.detection WHERE day = ?", [day]).fetchall()
    if present != [row]:
        execute(connection, f"DELETE FROM {LAKE}.ops.detection WHERE day = ?", [day])
        execute(
            connection,
            f"INSERT INTO {LAKE}.ops.detection ({columns}) VALUES (?, ?, ?, ?, ?)",
            list(row),
        )


def restate(connection: Connection, since: date) -> None:
    """States of the findings of a day and of later ones, where earlier findings or notes have changed."""
    history = read_history(connection)
    rows = execute(
        connection,
        f"SELECT DISTINCT day, finding_id, state FROM {LAKE}.gold.finding WHERE day >= ? ORDER BY ALL",
        [since],
    ).fetchall()
    for day, finding_id, state in rows:
        now = history.state(finding_id, day)
        if now != state:
            execute(
                connection,
                f"UPDATE {LAKE}.gold.finding SET state = ? WHERE day = ? AND finding_id = ?",
                [now, day, finding_id],
            )


def mark(
    connection: Connection,
    prefix: str,
    kind: str,
    until: date | None = None,
    note: str | None = None,
    author: str | None = None,
) -> str:
    """Keep a person's note about a finding, named by its id or the beginning of it; returns the whole id.

    Raises TapescopeError where no finding, or more than one, has such an id, and for a mute that has ended already.
    """
    history = read_history(connection)
    finding_id = resolve_prefix(history.seen, prefix)
    day = history.newest(finding_id)
    if until is not None and until < day:
        raise TapescopeError(
            f"a mute until {until} would have no effect: the finding was last judged for {day}",
            f"give {day} or a later day, or use `tapescope finding reopen` to end a mute",
        )
    last = connection.execute(f"SELECT coalesce(max(number), 0) + 1 FROM {LAKE}.ops.finding_mark").fetchone()
    number = last[0] if last else 1
    execute(
        connection,
        f"INSERT INTO {LAKE}.ops.finding_mark (number, finding_id, kind, day, until_day, note, author, made_at)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [number, finding_id, kind, day, until, note, author, datetime.now(UTC).replace(tzinfo=None)],
    )
    restate(connection, day)
    return finding_id
