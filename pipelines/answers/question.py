"""Answers with their SQL: a question of the catalogue, or free SQL from anybody."""

import difflib
import re
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

import duckdb

from pipelines.answers import adhoc, guard, parameters
from pipelines.answers.unknown_names import NAMED, is_known, unknown_name
from pipelines.build.fingerprint import is_outdated
from pipelines.catalog import sql_inspect
from pipelines.catalog.contracts import Catalog, Column, Question
from pipelines.catalog.sql_inspect import execute
from pipelines.config.site import Site
from pipelines.primitives.clock import day_bounds
from pipelines.primitives.errors import ContractError, QuestionRefused
from pipelines.primitives.store_errors import known_error, translate_store_errors
from pipelines.primitives.text import did_you_mean
from pipelines.warehouse.connection import Connection, Warehouse, snapshot_id
from pipelines.warehouse.engine import transaction

NO_DATA = date(1970, 1, 1)
# Where days with data are looked for, and what such a day has; the first that has any.
_DAYS_IN = {
    "gold.drive_ledger": "logs of drives",
    "gold.duty_factor": "traffic of stations",
    "gold.link_load": "traffic of links",
    "gold.flush_pattern": "samples of disk writes",
}
_COVERED = """(
    SELECT site_day(hour_at, zone) AS day FROM ops.coverage CROSS JOIN site.setting
    WHERE covered_s > 0 OR expected_s IS NULL
)"""
# When the newest file was written; files that an archive or an image dates 1970 or 1980 do not say so.
_WRITTEN = "max(make_timestamp(modified_ns // 1000)) FILTER (modified_ns >= 631152000e9)"
# The verdicts of rules: without a row here a day is clean only where they ran.
_VERDICTS = {"gold.finding", "gold.suppressed_verdict"}
_DAYS = "day_state"  # the question that says of days whether logs cover them and whether the rules ran
OUTDATED = "SQL or site.toml changed after the last build: `tapescope run` brings the tables up to date."
_LIMIT = re.compile(r"\bLIMIT\s+(\d+|\$\w+)(\s*\Z)?")


@dataclass(frozen=True)
class Answer:
    """Rows, what their columns mean, and the SQL and the snapshot they come from."""

    columns: list[Column]
    rows: list[tuple[Any, ...]]
    sql: str
    snapshot: int
    is_cut: bool = False
    period: str = ""  # which days it is about, where the caller named none, and why
    notices: tuple[str, ...] = ()  # what a reader of the rows must know: that they were cut, that no log covers a day

    def as_dicts(self) -> list[dict[str, Any]]:
        """The rows by column name."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in self.rows]


def ask(
    site: Site, catalog: Catalog, name: str, params: dict[str, str] | None = None, snapshot: int | None = None
) -> Answer:
    """Answer a question of the catalogue, and say which of its days no log covers or no rule has judged.

    Raises QuestionRefused for names and values that do not fit.
    """
    question = _question(catalog, name)
    given = parameters.given(question, params or {})  # what does not fit is reported before a warehouse is opened
    with Warehouse(site).read(snapshot) as connection:
        values, period = _values(question, given, connection)
        found = _answer(connection, question, values, period, snapshot)
        notices = [*found.notices, *_about_days(connection, catalog, question, values)]
        if not found.rows:
            lacking = [question.if_empty] if question.if_empty else []
            notices += _unknown_names(connection, catalog, values) or lacking
        if snapshot is None and is_outdated(connection, site, catalog):
            notices.append(OUTDATED)
        return replace(found, notices=tuple(notices))


def _question(catalog: Catalog, name: str) -> Question:
    question = catalog.asked.get(name)
    if question is None:
        if (now := catalog.renamed.get(name)) is not None:
            raise QuestionRefused(f"the question {name!r} is now called {now!r}", f"see `tapescope explain {now}`")
        near = difflib.get_close_matches(name, catalog.questions, n=3, cutoff=0.4)
        hint = f"{did_you_mean(near)} `tapescope questions` lists all questions".strip()
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
    values, period = _values(question, parameters.given(question, params or {}), connection)
    return _answer(connection, question, values, period, snapshot)


def _answer(
    connection: Connection, question: Question, values: dict[str, Any], period: str, snapshot: int | None
) -> Answer:
    limit = _Limit(question, values)
    try:
        with transaction(connection):
            number = snapshot if snapshot is not None else snapshot_id(connection)
            result = execute(connection, limit.sql, values)
            names = [column[0] for column in result.description]
            rows = result.fetchall()
    except duckdb.Error as error:
        if (own := known_error(error)) is not None:
            raise own from error
        if isinstance(error, duckdb.CatalogException | duckdb.BinderException):  # a table or column that is new
            raise guard.other_release(connection) from error
        raise QuestionRefused(f"{question.name} cannot be answered: {guard.first_lines(error)}") from error
    if names != [column.name for column in question.columns]:
        raise ContractError(
            f"question {question.name} returns the columns {', '.join(names)}, which differ from those of its header"
        )
    notice = limit.notice(len(rows))
    return Answer(
        list(question.columns), limit.cut(rows), question.sql, number, bool(notice), period, (notice,) if notice else ()
    )


class _Limit:
    """The LIMIT of a question's SQL. One row more is asked for, so that a cut answer can say so."""

    def __init__(self, question: Question, values: dict[str, Any]) -> None:
        self._question, self.sql = question, question.sql
        found = list(_LIMIT.finditer(question.sql))
        # one of a subquery counts where a parameter sets it: fixed ones pick a row, and cut nothing
        last = next((one for one in reversed(found) if one[2] is not None or one[1].startswith("$")), None)
        self._name = last[1].removeprefix("$") if last and last[1].startswith("$") else ""
        self._most = None if last is None else values[self._name] if self._name else int(last[1])
        self._is_last = last is not None and last[2] is not None
        if self._is_last:
            self.sql = f"{question.sql} + 1"

    def cut(self, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        return rows[: self._most] if self._is_last else rows

    def notice(self, n_rows: int) -> str:
        """That rows are missing, and how to get them; empty where none is."""
        if self._most is None or n_rows < self._most + self._is_last:
            return ""
        narrow = [name for name in self._question.params if name in ("drive", "station", "group", "host", "entity")]
        days = ["fewer days"] if "first_day" in self._question.params else []
        narrowed = f"; choose {', or one '.join([*days, *narrow])}" if days or narrow else ""
        ways = f"; {self._name}=… allows more" if self._name else narrowed
        return f"{self._question.name} is cut off at {self._most:,} rows{ways}."


def is_settled(day: dict[str, Any]) -> bool:
    """Whether the verdict of a row of `day_state` holds: findings or an all-clear, of present logs and settings."""
    return not day["is_outdated"] and day["state"] in ("findings", "clean")


def _about_days(connection: Connection, catalog: Catalog, question: Question, values: dict[str, Any]) -> list[str]:
    """Of the days a question was asked about: those that no log covers; of verdicts also those no rule has judged."""
    last = values.get("last_day")
    if not isinstance(last, date) or last == NO_DATA or question.name == _DAYS or _DAYS not in catalog.questions:
        return []
    days = {"first_day": str(values.get("first_day", last)), "last_day": str(last)}
    has_verdicts = bool(_VERDICTS.intersection(sql_inspect.tables(question.sql)))
    reported = {"not_covered", "not_run", "part_covered"} if has_verdicts else {"not_covered"}
    rows = answer(connection, catalog, _DAYS, days).as_dicts()
    notices = [row["summary"] for row in rows if row["state"] in reported or (has_verdicts and row["is_outdated"])]
    if all(row["state"] == "not_covered" for row in rows):
        for site in answer(connection, catalog, "period").as_dicts():  # no row before the first build
            notices += [f"There is data from {site['first_day']} to {site['last_day']}."] if site["last_day"] else []
    return notices


def _unknown_names(connection: Connection, catalog: Catalog, values: dict[str, Any]) -> list[str]:
    """Of the drives, tapes and the like that a question was asked about: those that nothing names."""
    unknown = {
        kind: name
        for kind, name in values.items()
        if kind in NAMED and isinstance(name, str) and name and not is_known(connection, catalog, kind, name)
    }
    if not unknown or "search" not in catalog.questions:
        return []
    known = answer(connection, catalog, "search", {"text": "", "n": "1000000"}).as_dicts()
    return [
        unknown_name(kind, name, {row["id"] for row in known if row["kind"] == kind}) for kind, name in unknown.items()
    ]


@dataclass(frozen=True)
class LastDay:
    """The day that a question is about if none was given, and why."""

    day: date
    has: str = ""  # what it is the last day of
    beyond: date | None = None  # a later day, which is after all logs were written

    @property
    def sentence(self) -> str:
        """Why this day, in a few words; empty where there is none."""
        stray = (
            f"; some lines have dates up to {self.beyond}, but no file was modified that late" if self.beyond else ""
        )
        return f"the last day with {self.has}{stray}" if self.has else ""


def last_day(connection: Connection, question: Question | None = None) -> LastDay:
    """The default period: the last calendar day of the site with data of what a question reads; never today.

    Server logs go first, then traffic, then load, then any log. No log can report a day after it was written: days
    later than the one after the newest file was written are left out, unless there is nothing else.
    """
    reads = set(sql_inspect.tables(question.sql)) if question else set()
    own = [table for table in _DAYS_IN if table in reads]
    (written,) = _days(connection, "ops.file", f"CAST({_WRITTEN} + INTERVAL 1 DAY AS DATE)")
    bound = f"max(day) FILTER (day <= DATE '{written}')" if written else "max(day)"
    stray: LastDay | None = None
    for table in (*own, *_DAYS_IN, _COVERED):
        latest, day = _days(connection, table, "max(day)", bound)
        if latest is None:
            continue
        has = _DAYS_IN.get(table, "any log")
        if day is not None or table in own:
            beyond = max(latest, stray.day if stray else latest)
            return LastDay(day or latest, has, beyond if day and beyond > day else None)
        stray = stray or LastDay(latest, has)
    return stray or LastDay(NO_DATA)


def last_whole_day(connection: Connection, zone: str) -> date:
    """As `last_day`, but not one that was still going on when the newest log was written, give or take an hour."""
    day = last_day(connection).day
    row = connection.execute(f"SELECT {_WRITTEN} FROM ops.file").fetchone()
    if day == NO_DATA or not row or row[0] is None:
        return day
    return day if row[0] > day_bounds(day, zone)[1] - timedelta(hours=1) else day - timedelta(days=1)


def _days(connection: Connection, table: str, *expressions: str) -> list[date | None]:
    try:
        with translate_store_errors():
            row = connection.execute(f"SELECT {', '.join(expressions)} FROM {table}").fetchone()
    except duckdb.CatalogException:
        row = None  # not built yet
    return [value if isinstance(value, date) else None for value in row or [None] * len(expressions)]


def ask_sql(
    site: Site,
    sql: str,
    timeout_s: float = 30,
    memory: str = "1GB",
    max_rows: int = 100_000,
    snapshot: int | None = None,
) -> Answer:
    """Answer free SQL from anybody, in a process of its own. Raises QuestionRefused for what is not run, or stopped."""
    found = adhoc.run(site, sql, timeout_s, memory, max_rows, snapshot)
    return Answer(found.columns, found.rows(), found.sql, found.snapshot, found.is_cut)


def _values(question: Question, given: dict[str, Any], connection: Connection) -> tuple[dict[str, Any], str]:
    """All values, with the period filled in: up to the last day with data, and one day long; and why that day."""
    days = [name for name in ("last_day", "first_day") if name in question.params and parameters.is_day(question, name)]
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
            "give both days, or a first_day with data",
        )
    return values, period
