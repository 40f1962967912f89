"""Answers with their SQL: a question of the catalogue, or free SQL from anybody."""

import difflib
import math
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import duckdb

from pipelines import free_sql, sql_guard, statement
from pipelines.catalog import Catalog, Column, Question
from pipelines.clock import day_bounds
from pipelines.config import Site
from pipelines.errors import ContractError, QuestionRefused
from pipelines.warehouse import Connection, Warehouse, snapshot_id, transaction

NO_DATA = date(1970, 1, 1)
# Where days with data are looked for, and what such a day has; the first that has any.
_DAYS_IN = {
    "gold.drive_ledger": "server logs",
    "gold.duty_factor": "traffic of stations",
    "gold.link_load": "traffic of links",
    "gold.flush_pattern": "vmstat of stations",
}
_SEEN_DAY = "CAST(timezone(zone, timezone('UTC', hour_at)) AS DATE)"
_SEEN = f"(SELECT {_SEEN_DAY} AS day FROM ops.coverage CROSS JOIN site.setting WHERE seen_s > 0)"


@dataclass(frozen=True)
class Answer:
    """Rows, what their columns mean, and the SQL and the snapshot they come from."""

    columns: list[Column]
    rows: list[tuple[Any, ...]]
    sql: str
    snapshot: int
    is_cut: bool = False
    period: str = ""  # which days it is about, where nobody named them, and why

    def as_dicts(self) -> list[dict[str, Any]]:
        """The rows by column name."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]


def ask(
    site: Site, catalog: Catalog, name: str, params: dict[str, str] | None = None, snapshot: int | None = None
) -> Answer:
    """Answer a question of the catalogue. Raises QuestionRefused for names and values that do not fit."""
    question = _question(catalog, name)
    _given(question, params or {})  # what does not fit is said before a warehouse is wanted
    with Warehouse(site).read(snapshot) as connection:
        return answer(connection, catalog, name, params, snapshot)


def _question(catalog: Catalog, name: str) -> Question:
    question = catalog.questions.get(name)
    if question is None:
        near = difflib.get_close_matches(name, catalog.questions, n=3, cutoff=0.4)
        hint = f"did you mean {' or '.join(near)}?" if near else "list them with `tapescope questions`"
        raise QuestionRefused(f"there is no question {name!r}", hint)
    return question


def answer(
    connection: Connection,
    catalog: Catalog,
    name: str,
    params: dict[str, str] | None = None,
    snapshot: int | None = None,
) -> Answer:
    """The same on a reading connection that is open already, and that shows `snapshot` if one is named."""
    question = _question(catalog, name)
    values, period = _values(question, _given(question, params or {}), connection)
    try:
        with transaction(connection):
            number = snapshot if snapshot is not None else snapshot_id(connection)
            result = connection.execute(question.sql, values)
            names = [column[0] for column in result.description]
            rows = result.fetchall()
    except duckdb.Error as error:
        hint = "run `tapescope run` first" if isinstance(error, duckdb.CatalogException) else ""
        raise QuestionRefused(f"{name} cannot be answered: {sql_guard.first_lines(error)}", hint) from error
    if names != [column.name for column in question.columns]:
        raise ContractError(f"question {name} gives the columns {', '.join(names)}, not those its header promises")
    return Answer(list(question.columns), rows, question.sql, number, period=period)


@dataclass(frozen=True)
class LastDay:
    """The day that is asked for where nobody named one, and why it is this one."""

    day: date
    has: str = ""  # what it is the last day of
    beyond: date | None = None  # a later day, which lies after all logs were written

    @property
    def sentence(self) -> str:
        """Why this day, in a few words; empty where there is none."""
        stray = f"; a log goes on to {self.beyond}, after it was last written" if self.beyond else ""
        return f"the last day with {self.has}{stray}" if self.has else ""


def last_day(connection: Connection, question: Question | None = None) -> LastDay:
    """The default period: the last calendar day of the site with data of what a question reads; never today.

    Server logs go first, then traffic, then load, then any log. No log can tell of a day after it was written: what
    lies behind the day on which the newest file was is left out, unless there is nothing else.
    """
    reads = set(statement.tables(question.sql)) if question else set()
    own = [table for table in _DAYS_IN if table in reads]
    written = _day(connection, "CAST(make_timestamp(max(modified_ns) // 1000) + INTERVAL 1 DAY AS DATE)", "ops.file")
    for table in (*own, *_DAYS_IN, _SEEN):
        latest = _day(connection, "max(day)", table)
        if latest is not None:
            bound = f"max(day) FILTER (day <= DATE '{written}')" if written else "max(day)"
            day = _day(connection, bound, table) or latest
            return LastDay(day, _DAYS_IN.get(table, "any log"), latest if latest > day else None)
    return LastDay(NO_DATA)


def last_whole_day(connection: Connection, zone: str) -> date:
    """As `last_day`, but not one that was still going on when the newest log was written, give or take an hour."""
    day = last_day(connection).day
    row = connection.execute("SELECT make_timestamp(max(modified_ns) // 1000) FROM ops.file").fetchone()
    if day == NO_DATA or not row or row[0] is None:
        return day
    return day if row[0] > day_bounds(day, zone)[1] - timedelta(hours=1) else day - timedelta(days=1)


def _day(connection: Connection, what: str, table: str) -> date | None:
    try:
        row = connection.execute(f"SELECT {what} FROM {table}").fetchone()
    except duckdb.CatalogException:
        return None  # not built yet
    return row[0] if row and isinstance(row[0], date) else None


def ask_sql(
    site: Site,
    sql: str,
    timeout_s: float = 30,
    memory: str = "1GB",
    max_rows: int = 100_000,
    snapshot: int | None = None,
) -> Answer:
    """Answer free SQL from anybody, in a process of its own. Raises QuestionRefused for what is not run, or stopped."""
    found = free_sql.run(site, sql, timeout_s, memory, max_rows, snapshot)
    return Answer(found.columns, found.rows(), found.sql, found.snapshot, found.is_cut)


def _given(question: Question, params: dict[str, str]) -> dict[str, Any]:
    """Values somebody gave and defaults of the header; refuses what is unknown or missing."""
    if unknown := sorted(params.keys() - question.params.keys()):
        known = ", ".join(question.params) or "none"
        raise QuestionRefused(f"{question.name} has no parameter {', '.join(unknown)}", f"its parameters: {known}")
    values: dict[str, Any] = {}
    for name, param in question.params.items():
        value = params.get(name, param.get("default"))
        if value is not None:
            values[name] = _cast(name, value, param["type"])
        elif not _is_day(question, name):
            raise QuestionRefused(f"{question.name} needs {name}: {param.get('doc', '')}", f"add {name}=…")
    return values


def _is_day(question: Question, name: str) -> bool:
    return name in ("first_day", "last_day") and question.params[name]["type"] == "DATE"


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not finite")
    return number


_CASTS: dict[str, Callable[[str], Any]] = {
    "DATE": date.fromisoformat,
    "DOUBLE": _number,
    "BIGINT": int,
    "VARCHAR": str,
}


def _cast(name: str, value: Any, kind: str) -> Any:
    """A text as its type says; a header's default may be of that type already."""
    if kind not in _CASTS:
        raise ContractError(f"parameter {name} has type {kind}; known: {', '.join(_CASTS)}")
    try:
        return _CASTS[kind](value) if isinstance(value, str) else value
    except ValueError:
        hint = "write it as 2010-06-15" if kind == "DATE" else ""
        raise QuestionRefused(f"{name}={value} is not a {kind}", hint) from None


def _values(question: Question, given: dict[str, Any], connection: Connection) -> tuple[dict[str, Any], str]:
    """All values, with the period filled in: up to the last day with data, and one day long; and why that day."""
    days = [name for name in ("last_day", "first_day") if name in question.params and _is_day(question, name)]
    values, period = dict(given), ""
    if days and "last_day" not in values:
        chosen = last_day(connection, question)
        values |= {"last_day": chosen.day} if "last_day" in days else {}
        values.setdefault("first_day", chosen.day)
        period = f"up to {chosen.day}, {chosen.sentence}" if chosen.sentence else ""
    values |= {name: values["last_day"] for name in days if name not in values}
    values = {name: value for name, value in values.items() if name in question.params}
    if len(days) == 2 and values["first_day"] > values["last_day"]:
        raise QuestionRefused(
            f"first_day {values['first_day']} is after last_day {values['last_day']}",
            "give both, or a first_day that has data",
        )
    return values, period
