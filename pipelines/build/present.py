"""How many rows relations have while a build goes on, of which days, and where they are read."""

from collections.abc import Collection, Iterable
from datetime import date

from pipelines.warehouse.connection import LAKE, Connection, committed
from pipelines.warehouse.tables import row_counts


class Present:
    """How many rows each relation has while a build goes on, of which days, and where they are read.

    Most sites have a few of all sources: one statement asks how many rows all tables have, and empty ones are not
    asked. Make it when a transaction begins, and note what that writes; `changed` names what it wrote before, and
    `emptied` what has no rows left. Changed relations are read in the lake, and the others in the last commit, if that
    is attached apart.
    """

    def __init__(self, connection: Connection, changed: Collection[str] = (), emptied: Collection[str] = ()) -> None:
        self._connection = connection
        self._committed = committed(connection)
        self._changed = {*changed, *emptied}
        self._n_rows = {name: n for name, n in row_counts(connection).items() if name not in emptied}
        self._days: dict[str, set[date]] = {}

    def n_rows(self, name: str) -> int:
        """The rows of a relation; 0 only where its table is empty."""
        return self._n_rows.get(name, 0)

    def names(self) -> list[str]:
        """The relations that have rows."""
        return sorted(name for name, n_rows in self._n_rows.items() if n_rows)

    @property
    def is_apart(self) -> bool:
        """Whether the last commit is attached apart from what is written now."""
        return self._committed != LAKE

    def is_changed(self, name: str) -> bool:
        """Whether this transaction changed a relation."""
        return name in self._changed

    def committed(self, name: str) -> str:
        """The table that has the rows of a relation as they were committed, if that is attached apart."""
        return f"{self._committed}.{name}"

    def table(self, name: str) -> str:
        """The table that has the rows of a relation as they are now."""
        return f"{LAKE}.{name}" if self.is_changed(name) else self.committed(name)

    def days(self, names: Iterable[str]) -> dict[str, set[date]]:
        """The days of relations that are kept by day: one statement asks for all that are not known yet."""
        names = list(names)
        asked = [name for name in names if name not in self._days and self.n_rows(name)]
        if asked:
            sql = " UNION ALL ".join(f"SELECT DISTINCT '{name}', day FROM {self.table(name)}" for name in asked)
            self._days |= {name: set() for name in asked}
            for name, day in self._connection.execute(sql).fetchall():
                self._days[name].add(day)
        return {name: self._days.get(name, set()) for name in names}

    def is_within(self, name: str, days: Collection[date]) -> bool:
        """Whether a relation is known to have rows of no other days."""
        return not self.n_rows(name) or (name in self._days and self._days[name] <= set(days))

    def replaced(
        self, name: str, n_removed: int, n_added: int, days: Collection[date] = (), filled: Collection[date] = ()
    ) -> None:
        """Note that rows went and others came, of some days; `filled` are those of them that have rows now."""
        if name in self._days or not self.n_rows(name):
            self._days[name] = self._days.get(name, set()) - set(days) | set(filled)
        self._n_rows[name] = self.n_rows(name) - n_removed + n_added
        self._changed.add(name)
