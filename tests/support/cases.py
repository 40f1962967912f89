"""Worked cases of relations and questions: what is given, what is made of it, what must come out."""

import math
import tomllib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, time
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import duckdb

from pipelines.catalog.contracts import LAYERS, Catalog, Relation
from pipelines.catalog.files import load_catalog, macros
from pipelines.sources import all_sources
from support import TESTS

KEYS = {"title", "through", "like", "date", "every", "given", "order", "expected_count", "expected"}
SETTING = {
    "name": "case",
    "zone": "UTC",
    "duty_threshold_mb_s": 5.0,
    "expected_gap_s": 2.0,
    "log_silence_s": 600.0,
}
LINEAGE = ("file_id", "line_no", "nth")


# What gives a row its day where the contract does not say; the first that is there.
INSTANTS = ("from_at", "started_at", "marked_at", "happened_at", "queued_at", "hour_at")
Row = dict[str, Any]


@cache
def read(path: Path, more: frozenset[str] = frozenset()) -> Row:
    """A case; `more` names keys it may have besides those that all have."""
    case = tomllib.loads(path.read_text(encoding="utf-8"))
    strange = set(case) - KEYS - more
    assert not strange, f"{path.name}: unknown keys {sorted(strange)}"
    assert {"title", "expected"} <= set(case), f"{path.name}: a case needs `title` and `expected`"
    return case


def given_rows(case: Row) -> dict[str, list[Row]]:
    """Rows by table: those of the case it is like, then its own in place of them."""
    inherited = given_rows(read(TESTS / f"{case['like']}.toml")) if "like" in case else {}
    every = case.get("every", {})
    own: dict[str, list[Row]] = {}
    for table, rows in case.get("given", {}).items():
        whole = [every.get(table, {}) | row for row in rows]
        relation = load_catalog().relations[table]
        own[table] = [filled(relation, number, row, case.get("date")) for number, row in enumerate(whole, 1)]
    return inherited | own


def filled(relation: Relation, number: int, row: Row, day: date | None) -> Row:
    """A given row with what parser and loader would add: the day, and for bronze where it is from."""
    row = {column: value_of(value, day) for column, value in row.items()}
    if relation.layer == "bronze":
        row = {"file_id": "log", "line_no": number} | row
        if "message_hash" in relation.column_names:
            # the same message in a second file has the same hash; a different message has another
            content = sorted((name, str(value)) for name, value in row.items() if name not in LINEAGE)
            row = {"nth": 1, "message_hash": zlib.crc32(repr(content).encode())} | row
    if relation.has_day and "day" not in row:
        instants = (row.get(name) for name in (relation.day_of, *INSTANTS))
        row["day"] = next((value.date() for value in instants if isinstance(value, datetime)), None)
    strange = set(row) - set(relation.column_names)
    assert not strange, f"{relation.full_name} has no column {sorted(strange)}"
    return row


def value_of(value: Any, day: date | None) -> Any:
    """A value of a case as DuckDB gives it back."""
    if value == "NULL":
        return None
    if isinstance(value, time) and day:
        return datetime.combine(day, value)
    return value


@cache
def _empty() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(":memory:")
    connection.execute("SET TimeZone = 'UTC'")
    create_tables(connection, load_catalog())
    return connection


@contextmanager
def empty_tables() -> Iterator[duckdb.DuckDBPyConnection]:
    """Every table, made once a process: what a case puts into them is rolled back."""
    connection = _empty()
    connection.execute("BEGIN TRANSACTION")
    try:
        yield connection
    finally:
        connection.execute("ROLLBACK")


def create_tables(connection: duckdb.DuckDBPyConnection, catalog: Catalog, place: str = "") -> None:
    """Every table of the catalogue, and what each kind of log speaks for; `place` names the database, as in `lake.`."""
    connection.execute(macros())
    for layer in LAYERS:
        connection.execute(f"CREATE SCHEMA {place}{layer}")
    for relation in catalog.relations.values():
        columns = ", ".join(f'"{column.name}" {column.type}' for column in relation.columns)
        connection.execute(f"CREATE TABLE {place}{relation.full_name} ({columns})")
        if relation.is_constant:
            connection.execute(f"INSERT INTO {place}{relation.full_name} {relation.sql}")
    speaks_for = [(stem, source.SPEAKS_FOR) for stem, source in all_sources().items()]
    connection.executemany(f"INSERT INTO {place}site.source VALUES (?, ?)", speaks_for)


def insert(connection: duckdb.DuckDBPyConnection, relation: Relation, rows: list[Row]) -> None:
    for row in rows:
        names = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" for _ in row)
        connection.execute(f"INSERT INTO {relation.full_name} ({names}) VALUES ({marks})", list(row.values()))


def make_inputs(connection: duckdb.DuckDBPyConnection, case: Row, inputs: tuple[str, ...], given: set[str]) -> None:
    """Make what SQL reads, in order and as `through` asks; what a case gives is not made."""
    through = case.get("through", False)
    made = {other.full_name: other for other in load_catalog().made_by_sql() if not other.is_constant}
    allowed = (set(made) if through is True else set(through or ())) - given
    needed: set[str] = set()
    todo = [inputs]
    while todo:
        new = set(todo.pop()) & allowed - needed
        needed |= new
        todo += [made[name].inputs for name in new]
    for name in (name for name in made if name in needed):
        connection.execute(f"INSERT INTO {name} {made[name].sql}")


def differences(expected: list[Row], found: list[Row], is_ordered: bool) -> tuple[list[Row], list[Row]]:
    """Expected rows that were not found, and found rows that no expected one fits."""
    if is_ordered:
        none: Row = {}
        pairs = [
            (expected_row, row)
            for expected_row, row in zip_longest(expected, found, fillvalue=none)
            if not fits(expected_row, row)
        ]
        return [expected_row for expected_row, _ in pairs if expected_row], [row for _, row in pairs if row]
    missing, left = [], list(found)
    for expected_row in expected:
        match = next((row for row in left if fits(expected_row, row)), None)
        if match is None:
            missing.append(expected_row)
        else:
            left.remove(match)
    return missing, left


def shown(row: Row) -> str:
    return "  " + "  ".join(f"{name}={value}" for name, value in row.items())


def fits(expected: Row, row: Row) -> bool:
    return bool(row) and all(is_same(value, row[name]) for name, value in expected.items())


def is_same(expected: Any, found: Any) -> bool:
    if isinstance(expected, int | float) and isinstance(found, int | float) and not isinstance(expected, bool):
        return not isinstance(found, bool) and math.isclose(expected, found, rel_tol=1e-9, abs_tol=1e-12)
    return type(expected) is type(found) and bool(expected == found)


def compare(case: Row, names: list[str], found: list[Row]) -> None:
    """Assert that the rows found are those expected."""
    expected = [{name: value_of(value, case.get("date")) for name, value in row.items()} for row in case["expected"]]
    strange = {name for row in expected for name in row} - set(names)
    assert not strange, f"there is no column {sorted(strange)}"
    missing, left = differences(expected, found, "order" in case)
    count = case.get("expected_count", len(expected))
    columns = list(dict.fromkeys(name for row in expected for name in row)) or names
    assert not missing and len(found) == count, "\n".join(
        [
            f"{case['title']}: {len(found)} rows, expected {count}; expected and not found:",
            *map(shown, missing),
            "found and not expected:",
            *(shown({name: row[name] for name in columns}) for row in left),
        ]
    )
