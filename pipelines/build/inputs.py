"""What the SQL of a build reads: views of its own in place of the lake's tables, narrowed to the days that matter.

So SQL needs no word about increments, and runs as it is in any DuckDB client.
"""

import re
from collections import Counter
from collections.abc import Collection
from datetime import date
from typing import Any

from pipelines.build.present import Present
from pipelines.catalog.contracts import Catalog, Relation
from pipelines.warehouse.connection import Connection

FEW = 10_000  # rows
MOST_FRESH = 200_000  # rows
_WHOLE = "whole"
_RELATION = re.compile(r"\b(?:bronze|silver|site)\.\w+")
Days = tuple[date, date]
ALWAYS = (date(1, 1, 1), date(9999, 12, 31))


class Inputs:
    """Temporary views of relations in a window of days, and copies of those with few rows.

    Few rows are taken out of the lake once, not by every relation that reads them, and not at all where they were just
    made: of so few most of the time is DuckLake's, which asks its catalogue for the files of each table that a
    statement names. Where the last commit is attached apart, days that were just made are kept in memory as well, and
    the others are read there. Views and copies end with the connection.
    """

    def __init__(self, connection: Connection, catalog: Catalog, present: Present) -> None:
        self._connection = connection
        self._catalog = catalog
        self._present = present
        self._window: tuple[Days, Days] | None = None
        self._held: dict[str, tuple[object, str]] = {}  # by relation: of which window, and the table that holds it
        self._views: dict[str, str] = {}  # by relation: the table that its view reads
        self._fresh: dict[str, set[date]] = {}  # by relation: the days made so far, which a table in memory holds
        self._n_fresh: Counter[str] = Counter()  # by relation: the rows made so far

    def set_window(self, utc: Days, site: Days) -> None:
        """Narrow what SQL reads to these days: `utc` of bronze, silver and site, `site` of gold and ops."""
        if self._window != (utc, site):
            days = {"utc_from": utc[0], "utc_to": utc[1], "site_from": site[0], "site_to": site[1]}
            self._connection.execute("; ".join(f"SET VARIABLE {name} = DATE '{day}'" for name, day in days.items()))
            self._window = (utc, site)

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a SELECT that reads relations as they are on all days."""
        self.set_window(ALWAYS, ALWAYS)
        return self._connection.execute(self.named_in(sql, set(_RELATION.findall(sql)))).fetchall()

    def named_in(self, sql: str, names: Collection[str]) -> str:
        """SQL that reads some relations as they are in the window that is set."""
        if not names:
            return sql
        shown = {name: self._shown(self._catalog.relations[name]) for name in names}
        return re.sub(rf"\b({'|'.join(map(re.escape, names))})\b", lambda found: shown[found[0]], sql)

    def _shown(self, relation: Relation) -> str:
        """The table or view that has what there is of a relation in the window."""
        name = relation.full_name
        is_small = not relation.has_day or self._present.n_rows(name) <= FEW
        if not is_small and self._window == (ALWAYS, ALWAYS):
            return self._table(name)
        window = _WHOLE if is_small else self._window
        if name not in self._held or self._held[name][0] != window:
            self._hold(relation, window, f"SELECT * FROM {self._table(name)}{'' if is_small else _in_window(relation)}")
        table = self._held[name][1]
        if not relation.has_day:
            return table
        if self._views.get(name) != table:
            narrowed = f"SELECT * FROM {table}{_in_window(relation)}"
            self._connection.execute(f"CREATE OR REPLACE TEMP VIEW {_named('read', name)} AS {narrowed}")
            self._views[name] = table
        return f"temp.{_named('read', name)}"

    def made_in(self, relation: Relation) -> str:
        """Where all rows of the days that were made are: in memory if they are few, or were kept there."""
        window, table = self._held.get(relation.full_name, (None, ""))
        if window == _WHOLE:
            return table
        is_kept = relation.full_name in self._fresh
        return f"temp.{_named('fresh', relation.full_name)}" if is_kept else self._present.table(relation.full_name)

    def _table(self, name: str) -> str:
        """The table or view that has all rows of a relation as they are now."""
        return f"temp.{_named('now', name)}" if name in self._fresh else self._present.table(name)

    def replaced(self, relation: Relation, rows: str = "") -> None:
        """Note that a relation has other rows than before; `rows` is a SELECT of all of them, if they are at hand."""
        self._held.pop(relation.full_name, None)
        if rows:
            self._hold(relation, _WHOLE, rows)

    def keep_fresh(self, relation: Relation, days: Collection[date], rows: str, n_rows: int) -> None:
        """Keep rows of some days in memory, all that these days have now, if they are not too many."""
        name = relation.full_name
        self._n_fresh[name] += n_rows
        is_lost = self._present.is_changed(name) and name not in self._fresh  # of earlier days
        if not self._present.is_apart or self._n_fresh[name] > MOST_FRESH or is_lost:
            self._fresh.pop(name, None)
            return
        fresh = _named("fresh", name)
        kept = f"INSERT INTO temp.{fresh}" if name in self._fresh else f"CREATE OR REPLACE TEMP TABLE {fresh} AS"
        self._fresh.setdefault(name, set()).update(days)
        others = ", ".join(f"DATE '{day}'" for day in sorted(self._fresh[name]))
        self._connection.execute(
            f"{kept} {rows}; CREATE OR REPLACE TEMP VIEW {_named('now', name)} AS"
            f" SELECT * FROM {self._present.committed(name)} WHERE day NOT IN ({others})"
            f" UNION ALL SELECT * FROM temp.{fresh}"
        )

    def _hold(self, relation: Relation, window: object, rows: str) -> None:
        """Copy rows into memory, unless they are too many."""
        table, copy = self._table(relation.full_name), _named("copy", relation.full_name)
        if not self._present.n_rows(relation.full_name):
            self._connection.execute(f"CREATE OR REPLACE TEMP TABLE {copy} ({relation.definitions})")
            table = f"temp.{copy}"
        else:
            made = f"CREATE OR REPLACE TEMP TABLE {copy} AS {rows} LIMIT {FEW + 1}"
            taken = self._connection.execute(made).fetchone()
            if taken and taken[0] <= FEW:
                table = f"temp.{copy}"
            else:
                self._connection.execute(f"DROP TABLE temp.{copy}")
        self._held[relation.full_name] = (window, table)


def _named(kind: str, name: str) -> str:
    return f"{kind}_{name.replace('.', '_')}"


def _in_window(relation: Relation) -> str:
    clock = "site" if relation.is_by_site_day else "utc"
    return f" WHERE day BETWEEN getvariable('{clock}_from') AND getvariable('{clock}_to')"
