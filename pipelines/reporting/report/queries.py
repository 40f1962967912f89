"""The questions of one report: all of one snapshot, each remembered with its SQL, none able to stop the report."""

import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from typing import Any, TypeVar

from pipelines.answers import question as ask
from pipelines.answers.question import Answer
from pipelines.build.fingerprint import is_outdated
from pipelines.catalog.contracts import Catalog
from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.format import counted
from pipelines.primitives.text import natural
from pipelines.reporting.report.model import Query, Table
from pipelines.warehouse.connection import Connection, Warehouse, has_many_files, snapshot_id

# Sums of fractions differ in their last bits with the number of threads; nine digits are the same every time.
_DIGITS = 9
Row = dict[str, Any]
_Asked = TypeVar("_Asked")


class Asker:
    """Asks for one period; what cannot be answered is a problem of the report, and its answer is empty.

    A context: it keeps one connection to one snapshot open, for to open one takes longer than most answers.
    """

    def __init__(self, site: Site, catalog: Catalog, first: date | None, last: date | None) -> None:
        self.site = site
        self.catalog = catalog
        self.problems: list[str] = []
        self.queries: dict[str, Query] = {}
        self.snapshot: int | None = None
        self._answers: dict[str, tuple[dict[str, str], Answer]] = {}
        self.chosen = ""  # why this day, where no day was given
        self._stack = ExitStack()
        self._connection: Connection | None = None
        self.last = last or self.newest_day()
        self.first = first or self.last

    def __enter__(self) -> "Asker":
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def _connected(self) -> Connection:
        """The connection, opened when it is first needed: there may be no warehouse to open."""
        if self._connection is None:
            warehouse = Warehouse(self.site)
            with warehouse.read() as newest:
                self.snapshot, is_large = snapshot_id(newest), has_many_files(newest)
            self._connection = self._stack.enter_context(warehouse.read(self.snapshot, is_long_lived=is_large))
        return self._connection

    def newest_day(self) -> date | None:
        """The last day with data; None where there is none."""
        if chosen := self._tried(lambda: ask.last_day(self._connected())):
            self.chosen = chosen.sentence
        return chosen.day if chosen and chosen.day != ask.NO_DATA else None

    def is_outdated(self) -> bool:
        """Whether SQL or site.toml changed after the build that the report is about."""
        return bool(self._tried(lambda: is_outdated(self._connected(), self.site, self.catalog)))

    def newest_whole_day(self) -> date | None:
        """The last day with data that is over; None where there is none."""
        day = self._tried(lambda: ask.last_whole_day(self._connected(), self.site.zone))
        return None if day == ask.NO_DATA else day

    def _tried(self, asked: Callable[[], _Asked]) -> _Asked | None:
        """The answer; None where it is refused, and the reason is a problem of the report."""
        try:
            return asked()
        except TapescopeError as error:
            text = f"{error}; {error.hint}" if error.hint else str(error)
            if text not in self.problems:
                self.problems.append(text)
            return None

    def ask(self, name: str, **given: str) -> Answer:
        """The answer to a question about the period, asked once: with the same parameters wherever it is asked."""
        if name not in self._answers:
            self._answers[name] = given, self._ask(name, given)
        asked_with, answer = self._answers[name]
        if given != asked_with:
            raise ValueError(f"the report asks the question {name} twice, with {asked_with} and with {given}")
        return answer

    def _ask(self, name: str, given: dict[str, str]) -> Answer:
        question = self.catalog.asked[name]
        days = {"first_day": str(self.first), "last_day": str(self.last)}
        days |= {"from_day": days["first_day"], "to_day": days["last_day"]}
        params = {key: value for key, value in days.items() if key in question.params} | given
        self.queries[name] = Query(name, question.title, question.why, params, question.sql)
        nothing = Answer(list(question.columns), [], question.sql, self.snapshot or 0)
        if self.last is None and days.keys() & question.params.keys():
            return nothing
        answer = self._tried(lambda: ask.answer(self._connected(), self.catalog, name, params, self.snapshot))
        if answer is None:
            return nothing
        return replace(answer, rows=[tuple(_rounded(value) for value in row) for row in answer.rows])

    def table(
        self,
        name: str,
        title: str,
        columns: Sequence[str],
        keep: Callable[[Row], bool] = bool,
        most: int = 60,
        by: str = "",
        **given: str,
    ) -> Table:
        """Some columns of an answer, of the rows to keep, and at most `most` of these; in the order of names `by`."""
        answer = self.ask(name, **given)
        places = [[column.name for column in answer.columns].index(column) for column in columns]
        kept = [row for row, values in zip(answer.rows, answer.as_dicts(), strict=True) if keep(values)]
        if by:
            place = [column.name for column in answer.columns].index(by)
            kept.sort(key=lambda row: natural(row[place]))
        rows = [tuple(row[place] for place in places) for row in kept[:most]]
        left = len(kept) - len(rows)
        again = " ".join(["tapescope ask", name, *(f"{key}={value}" for key, value in given.items())])
        notes = [f"{counted(left, 'more row')}: `{again}`"] if left else []
        notes += answer.notices
        return Table(title, name, [answer.columns[place] for place in places], rows, "; ".join(notes))

    def only(self, name: str) -> Row:
        """The first row of an answer by column name; empty where there is none."""
        rows = self.ask(name).as_dicts()
        return rows[0] if rows else {}


def _rounded(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    return float(f"{value:.{_DIGITS}g}") if math.isfinite(value) else None
