"""The ledger of recommendations: the predicted gain of each, since when it is in effect, and its achieved gain."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any

import numpy as np

from pipelines.analysis.finding_id import resolve_prefix
from pipelines.analysis.forecast.history import History, well_covered
from pipelines.analysis.stats.diff_in_diff import Days, Realised, realised
from pipelines.answers.question import last_day
from pipelines.catalog.contracts import Catalog
from pipelines.catalog.sql_inspect import execute
from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.estimate import Estimate, NoEstimate
from pipelines.primitives.format import no_estimate
from pipelines.warehouse.connection import LAKE, Connection, Warehouse
from pipelines.warehouse.engine import transaction
from pipelines.warehouse.tables import prepare_tables

HOURS = ("down", "hours", "idle_queued")  # causes whose fix frees hours of drives, not speed
_BY_HAND = "leave out --finding, and give --text, --drives and --gain"


@dataclass(frozen=True)
class Score:
    """One recommendation, its state, its predicted and its achieved gain."""

    number: int
    text: str
    state: str
    made_day: date
    applied_day: date | None
    predicted: Estimate
    found: Realised | None

    @property
    def verdict(self) -> str:
        """As predicted where the two intervals meet; else more or less than predicted."""
        if self.found is None:
            return self.state
        gain = self.found.gain_gb_day
        if isinstance(gain, NoEstimate):
            return no_estimate(gain)
        if gain.high < self.predicted.low:
            return "less than predicted"
        return "more than predicted" if gain.low > self.predicted.high else "as predicted"


def recommend(site: Site, catalog: Catalog, finding: str, text: str | None = None) -> int:
    """Make a finding's fix a recommendation, with the gain it was priced at; returns its number.

    Raises TapescopeError where no finding, or more than one, has such an id, or it has no price; WarehouseBusy.
    """

    def row(connection: Connection) -> tuple[Any, ...]:
        rows = execute(
            connection,
            # several spells of a day are one cause: its fix gains what they cost together
            "SELECT finding_id, rule, entity, last(text ORDER BY started_at), sum(gain_gb_day),"
            " sum(coalesce(gain_gb_day_low, gain_gb_day)), sum(coalesce(gain_gb_day_high, gain_gb_day))"
            f" FROM {LAKE}.gold.finding WHERE starts_with(finding_id, ?) GROUP BY finding_id, rule, entity, day"
            " QUALIFY row_number() OVER (PARTITION BY finding_id ORDER BY day DESC) = 1",
            [finding],
        ).fetchall()
        name = resolve_prefix([str(row[0]) for row in rows], finding)
        _, rule, entity, finding_text, gain, least, most = rows[0]
        if not gain:
            raise TapescopeError(f"finding {name} has no gain in GB per day", _BY_HAND)
        drives = _drives_of(connection, entity)
        cause = catalog.rules[rule].cause_of(entity) if rule in catalog.rules else ""
        return (text or finding_text, name, "\n".join(drives), cause in HOURS, gain, min(gain, least), max(gain, most))

    return _write(site, catalog, row)


def recommend_freely(
    site: Site, catalog: Catalog, text: str, drives: list[str], gain: Estimate, is_hours: bool = False
) -> int:
    """Make a recommendation of one's own, say of a what-if; returns its number. Raises TapescopeError."""

    def row(connection: Connection) -> tuple[Any, ...]:
        known = {name for (name,) in connection.execute(f"SELECT drive FROM {LAKE}.site.drive").fetchall()}
        if strange := [name for name in drives if name not in known]:
            raise TapescopeError(
                f"no drive is called {strange[0]!r}", f"known drives: {', '.join(sorted(known)) or 'none'}"
            )
        return (text, None, "\n".join(drives), is_hours, gain.value, gain.low, gain.high)

    return _write(site, catalog, row)


def change(site: Site, catalog: Catalog, number: int, event: str, day: date, note: str | None = None) -> None:
    """Say that a recommendation is applied from a site day on, or dropped. Raises TapescopeError; WarehouseBusy."""
    with Warehouse(site).write("recommendation") as connection:
        prepare_tables(connection, catalog)
        with transaction(connection):
            there = f"SELECT count(*) FROM {LAKE}.ops.recommendation WHERE number = ?"
            if execute(connection, there, [number]).fetchone() == (0,):
                raise TapescopeError(
                    f"there is no recommendation {number}", "`tapescope recommendation list` lists all recommendations"
                )
            _insert(connection, (number, event, day, note, None, None, None, None, None, None))


def scores(history: History) -> list[Score]:
    """Every recommendation with its measured effect, as of the last day; the days on either side are compared."""
    rows = history.rows("recommendation_days")
    return [_score(list(group)) for _, group in groupby(rows, key=lambda row: row["number"])]


def _score(rows: list[dict[str, Any]]) -> Score:
    first = rows[0]
    value, low, high = (first[f"predicted_gb_day{end}"] for end in ("", "_low", "_high"))
    predicted = Estimate(value, value if low is None else low, value if high is None else high)
    found = None
    if first["state"] == "applied":
        days = well_covered([row for row in rows if row["day"]])

        def side(is_after: bool, *names: str) -> Days:
            kept = [row for row in days if row["is_after"] is is_after]
            return Days(*(np.array([row[name] for row in kept], dtype=float) for name in names))

        own, peers = ("moved_gb", "busy_hours"), ("peers_gb", "peers_hours")
        found = realised(
            side(False, *own), side(True, *own), side(False, *peers), side(True, *peers), bool(first["is_hours"])
        )
    return Score(
        first["number"], first["text"], first["state"], first["made_day"], first["applied_day"], predicted, found
    )


def _write(site: Site, catalog: Catalog, make: Callable[[Connection], tuple[Any, ...]]) -> int:
    """Add a recommendation under the next number."""
    with Warehouse(site).write("recommendation") as connection:
        prepare_tables(connection, catalog)
        connection.execute(f"USE {LAKE}")
        with transaction(connection):
            day = last_day(connection).day
            row = connection.execute(f"SELECT coalesce(max(number), 0) + 1 FROM {LAKE}.ops.recommendation").fetchone()
            number = int(row[0]) if row else 1
            _insert(connection, (number, "made", day, *make(connection)))
    return number


def _insert(connection: Connection, row: tuple[Any, ...]) -> None:
    number, *rest = row
    step = f"(SELECT coalesce(max(step), 0) + 1 FROM {LAKE}.ops.recommendation)"
    marks = ", ".join("?" * len(rest))
    execute(connection, f"INSERT INTO {LAKE}.ops.recommendation SELECT ?, {step}, {marks}", [number, *rest])


def _drives_of(connection: Connection, entity: str) -> list[str]:
    """Drives of a finding: the one it names, or all that work for the station it names; either may follow a `/`."""
    found = execute(
        connection,
        f"SELECT DISTINCT drive FROM {LAKE}.gold.lost_time"
        " WHERE list_has_any([$entity, regexp_replace($entity, '^.*/', '')], [drive, station]) ORDER BY drive",
        {"entity": entity},
    ).fetchall()
    if not found:
        raise TapescopeError(f"the finding concerns {entity!r}, to which no drive belongs", _BY_HAND)
    return [str(name) for (name,) in found]
