"""The only way from the pages to the warehouse: questions of the catalogue, answered once per snapshot."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import cached_property, partial
from typing import Any

import polars as pl
import streamlit as st

from dashboards import zone
from dashboards.site import read_site, site_path
from pipelines.analysis.findings.exhibit import Exhibit
from pipelines.analysis.findings.exhibit import exhibit as read_exhibit
from pipelines.analysis.forecast import (
    MONTH_DAYS,
    WEEK_DAYS,
    Buffers,
    Fitted,
    History,
    MountAdvice,
    Record,
    WhatIf,
    advise,
    fit_site,
    judge,
    recorded,
)
from pipelines.analysis.forecast import buffers as find_buffers
from pipelines.analysis.models.simulation import Changes, Outcome, simulate
from pipelines.answers import question
from pipelines.answers.drill import Drilled, drill
from pipelines.answers.excerpts import read_lines
from pipelines.answers.question import Answer
from pipelines.answers.snapshot import SnapshotReader
from pipelines.catalog.contracts import Column
from pipelines.catalog.files import load_catalog
from pipelines.primitives import format
from pipelines.primitives.estimate import NoEstimate
from pipelines.primitives.text import csv_text

DRILLED = 8  # intervals shown


class NoAnswer(Exception):
    """A question cannot be answered; the message says why, `hint` what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass(frozen=True)
class Asked:
    """A question of the catalogue, what it was asked with, and its answer."""

    name: str
    params: dict[str, str]
    answer: Answer

    @property
    def title(self) -> str:
        return load_catalog().asked[self.name].title

    @property
    def why(self) -> str:
        return load_catalog().asked[self.name].why

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        return self.answer.as_dicts()

    def rows_of(self, **values: str | None) -> list[dict[str, Any]]:
        """The rows with these values; an empty text wants all."""
        return [row for row in self.rows if all(value in ("", row[name]) for name, value in values.items())]

    def frame(self, rows: list[dict[str, Any]] | None = None) -> pl.DataFrame:
        """All rows, or some of them, as a frame with the catalogue's names; instants are by the page's clock."""
        values = self.answer.rows if rows is None else [tuple(row[name] for name in self.names) for row in rows]
        # without a value, such as on comparison days that no log covers, an instant would have no type
        types = {name: pl.Datetime("us") for name in self.names if name.endswith("_at")}
        found = pl.DataFrame(values, schema=self.names, schema_overrides=types, orient="row", infer_schema_length=None)
        return found.with_columns(zone.show(pl.col(pl.Datetime)))

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.answer.columns]

    def column(self, name: str) -> Column:
        return next(column for column in self.answer.columns if column.name == name)

    def label(self, name: str) -> str:
        return format.heading(self.column(name))

    def shown(self, row: dict[str, Any], name: str) -> str:
        """A value with its unit."""
        column, value = self.column(name), row[name]
        unit = format.unit(column)
        return format.cell(value, column) + (f" {unit}" if unit and value is not None else "")


def newest(name: str) -> Asked:
    """The answer from the newest snapshot. Raises NoAnswer."""
    return ask(name, newest_snapshot(), {})


def newest_snapshot() -> int:
    """The number of the newest snapshot, not a remembered one. Raises NoAnswer."""
    try:
        return _newest_snapshot(*_here())
    except NoAnswer:
        _open.clear()  # what was open may be gone; its successor is asked once
        return _newest_snapshot(*_here())


def _newest_snapshot(path: str, which: str) -> int:
    with refusing():
        return _open(path, which, None).newest()


def ask(name: str, snapshot: int, params: dict[str, str]) -> Asked:
    """The answer from a snapshot; each is computed once. Raises NoAnswer."""
    return _remembered(*_here(), name, tuple(sorted(params.items())), snapshot)


@st.cache_data(max_entries=500, show_spinner=False)
def _remembered(path: str, which: str, name: str, params: tuple[tuple[str, str], ...], snapshot: int) -> Asked:
    given = dict(params)
    with refusing():
        return Asked(name, given, _open(path, which, snapshot).ask(load_catalog(), name, given))


def last_day(snapshot: int) -> date:
    """The day that pages open on: the one that reports and commands take as well. Raises NoAnswer."""
    return _last_day(*_here(), snapshot)


@st.cache_data(max_entries=20, show_spinner=False)
def _last_day(path: str, which: str, snapshot: int) -> date:
    with refusing(), _open(path, which, snapshot).cursor() as connection:
        return question.last_day(connection).day


def drilled(snapshot: int, drive: str, bucket: str, day: date, session: str = "", n: int = DRILLED) -> Drilled:
    """The longest intervals of a drive's bucket on a day, or of a mount of it, and the log lines at their ends.

    Raises NoAnswer.
    """
    return _drilled(*_here(), snapshot, drive, bucket, day, session, n)


@st.cache_data(max_entries=100, show_spinner=False)
def _drilled(path: str, which: str, snapshot: int, drive: str, bucket: str, day: date, session: str, n: int) -> Drilled:
    with refusing(), _open(path, which, snapshot).cursor() as connection:
        return drill(connection, read_site(path), load_catalog(), drive, bucket, day, n, session)


def exhibit(snapshot: int, row: dict[str, Any]) -> Exhibit | None:
    """What a finding's chart shows. Raises NoAnswer."""
    known = {name: row[name] for name in ("rule", "entity", "first_day", "day", "facts")}
    return _exhibit(*_here(), snapshot, tuple(known.items()))


@st.cache_data(max_entries=100, show_spinner=False)
def _exhibit(path: str, which: str, snapshot: int, row: tuple[tuple[str, Any], ...]) -> Exhibit | None:
    with refusing(), _open(path, which, snapshot).cursor() as connection:
        return read_exhibit(connection, load_catalog(), read_site(path), dict(row))


def filled(snapshot: int, relations: frozenset[str]) -> set[str]:
    """Those of some relations that have a row. Raises NoAnswer."""
    return _filled(*_here(), snapshot, relations)


@st.cache_data(max_entries=20, show_spinner=False)
def _filled(path: str, which: str, snapshot: int, relations: frozenset[str]) -> set[str]:
    with refusing(), _open(path, which, snapshot).cursor() as connection:
        each = (f"SELECT '{relation}' WHERE EXISTS (FROM {relation})" for relation in sorted(relations))
        return {name for (name,) in connection.execute(" UNION ALL ".join(each)).fetchall()} if relations else set()


def is_outdated(snapshot: int) -> bool:
    """Whether SQL or site.toml changed after the last build of a snapshot. Raises NoAnswer."""
    return _is_outdated(*_here(), snapshot, read_site(site_path()).model_dump_json())


@st.cache_data(max_entries=20, show_spinner=False)
def _is_outdated(path: str, which: str, snapshot: int, settings: str) -> bool:
    with refusing():
        return _open(path, which, snapshot).is_outdated(read_site(path), load_catalog())


def lines(snapshot: int, path: str, numbers: Iterable[int]) -> dict[int, str] | str:
    """Lines of a log file that was read, or why they cannot be shown; one call reads it once. Raises NoAnswer."""
    return _lines(*_here(), snapshot, path, tuple(sorted(set(numbers))))


@st.cache_data(max_entries=200, show_spinner=False)
def _lines(path: str, which: str, snapshot: int, file: str, numbers: tuple[int, ...]) -> dict[int, str] | str:
    with refusing(), _open(path, which, snapshot).cursor() as connection:
        return read_lines(connection, read_site(path), file, numbers)


def fitted(snapshot: int, last: date) -> list[Fitted]:
    """What mounts of each kind of drive cost, by four weeks up to a day. Raises NoAnswer where there are none."""
    return _fitted(*_here(), snapshot, last)


@st.cache_data(max_entries=20, show_spinner=False)
def _fitted(path: str, which: str, snapshot: int, last: date) -> list[Fitted]:
    with refusing():
        return fit_site(_history(path, which, snapshot, last))


def record(snapshot: int, last: date, n_days: int) -> Record:
    """The work of the `n_days` days up to `last`, to be run again. Raises NoAnswer where there is none."""
    return _record(*_here(), snapshot, last, n_days)


# Records and the outcomes of their runs are shared and never changed, so they are kept without a copy.
@st.cache_resource(max_entries=4, show_spinner=False)
def _record(path: str, which: str, snapshot: int, last: date, n_days: int) -> Record:
    with refusing():
        return recorded(_history(path, which, snapshot, last, n_days))


def _history(path: str, which: str, snapshot: int, last: date, n_days: int = MONTH_DAYS) -> History:
    """Days of a snapshot, asked as the page itself asks: what both need is computed once."""

    def asked(name: str, params: dict[str, str]) -> Answer:
        return _remembered(path, which, name, tuple(sorted(params.items())), snapshot).answer

    return History(read_site(path), load_catalog(), last, n_days, asked)


def buffers(snapshot: int, last: date, n_days: int) -> list[Buffers]:
    """What disk buffers would have served of the reads of the `n_days` days up to `last`. Raises NoAnswer."""
    return _buffers(*_here(), snapshot, last, n_days)


# Only the result is kept: there may be a million reads.
@st.cache_resource(max_entries=4, show_spinner=False)
def _buffers(path: str, which: str, snapshot: int, last: date, n_days: int) -> list[Buffers]:
    with refusing():
        asked = partial(_open(path, which, snapshot).ask, load_catalog())
        return find_buffers(History(read_site(path), load_catalog(), last, n_days, asked))


def what_if(snapshot: int, last: date, n_days: int, changes: Changes) -> WhatIf:
    """The record run again, and with changes where that can be trusted. Raises NoAnswer, and ValueError of changes."""
    return judge(record(snapshot, last, n_days), changes, lambda one: outcome(snapshot, last, n_days, one))


def outcome(snapshot: int, last: date, n_days: int, changes: Changes) -> Outcome:
    """What changes come to; no changes are the replay. To be trusted only once the replay was judged."""
    return _outcome(*_here(), snapshot, last, n_days, changes)


@st.cache_resource(max_entries=200, show_spinner=False)
def _outcome(path: str, which: str, snapshot: int, last: date, n_days: int, changes: Changes) -> Outcome:
    return simulate(_record(path, which, snapshot, last, n_days).work, changes)


def mount_advice(snapshot: int, last: date) -> MountAdvice | NoEstimate:
    """The week up to a day under other mount policies. Raises NoAnswer if no mount was logged completely."""
    return _mount_advice(*_here(), snapshot, last)


@st.cache_resource(max_entries=20, show_spinner=False)
def _mount_advice(path: str, which: str, snapshot: int, last: date) -> MountAdvice | NoEstimate:
    with refusing():
        return advise(_history(path, which, snapshot, last, WEEK_DAYS))


@contextmanager
def refusing() -> Iterator[None]:
    """Turn tapescope's own errors, which carry a hint, into NoAnswer; any other is a fault and must show as one."""
    try:
        yield
    except Exception as error:
        if not hasattr(error, "hint"):
            raise
        raise NoAnswer(str(error), error.hint) from error


@st.cache_resource(max_entries=4, show_spinner=False, on_release=SnapshotReader.close)
def _open(path: str, which: str, snapshot: int | None) -> SnapshotReader:  # a name with _ would be no part of the key
    return SnapshotReader(read_site(path), snapshot)


def _here() -> tuple[str, str]:
    """The site that the pages are about, and which warehouse is in it now."""
    path = str(site_path())
    with refusing():
        return path, SnapshotReader.warehouse_identity(read_site(path))


def takes(name: str) -> set[str]:
    """The parameters of a question."""
    return set(load_catalog().asked[name].params)


def as_csv(found: Asked) -> str:
    """All rows for other programs: instants in UTC, as in the warehouse."""
    return csv_text(found.names, found.answer.rows)
