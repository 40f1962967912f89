"""Every relation that SQL makes, against examples worked by hand.

A case is `tests/<layer>/<relation>/<case>.toml`; expected values are never regenerated. Its keys, all but `title` and
`expected` optional:

    title = "what the case shows"
    through = true                      # first make, from the given rows, what the relation reads
    through = ["gold.tape_traffic"]     # the same, of these alone
    like = "silver/gap/design_12"       # begin with that case's given rows
    date = 2010-06-15                   # day of instants that are written as times alone
    every."bronze.seen" = { ... }       # columns all given rows of a table share
    given."bronze.seen" = [{ ... }]     # columns left out are NULL; see `_filled`
    order = ["from_at"]                 # compare in this order; without it, in any
    expected_count = 3                  # `expected` lists only some of so many rows
    expected = [{ ... }]                # columns left out are not compared; "NULL" is NULL

Numbers may differ by one part in 10⁹, everything else must be the same.
"""

import math
import tomllib
import zlib
from datetime import date, datetime, time
from functools import cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipelines.catalog.contracts import LAYERS, Catalog, Relation, load_catalog, macros

HERE = Path(__file__).parent
MADE_LAYERS = ("silver", "gold", "ops")
CASES = sorted(path for layer in MADE_LAYERS for path in (HERE / layer).glob("*/*.toml"))
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


def _name(path: Path) -> str:
    return path.relative_to(HERE).with_suffix("").as_posix()


@pytest.mark.parametrize("path", CASES, ids=_name)
def test_case(path: Path) -> None:
    case = _read(path)
    relation = load_catalog().relations[f"{path.parent.parent.name}.{path.parent.name}"]
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        _create(connection, load_catalog())
        given = _given(case)
        for table, rows in ({"site.setting": [SETTING]} | given).items():
            _insert(connection, load_catalog().relations[table], rows)
        make_inputs(connection, case, relation.inputs, set(given) | {relation.full_name})
        found = _select(connection, relation, case.get("order", []))
    _compare(case, relation, found)


@pytest.mark.parametrize("layer", MADE_LAYERS)
def test_every_relation_has_a_case(layer: str) -> None:
    made = {relation.name for relation in load_catalog().layer(layer) if relation.sql}
    cased = {path.parent.name for path in CASES if path.parent.parent.name == layer}
    assert made, f"no relation in schemas/{layer}: has the folder moved?"
    assert made <= cased, f"write a worked example in tests/{layer}/<name>/ for: {', '.join(sorted(made - cased))}"
    assert cased <= made, f"tests/{layer}/ has cases for what SQL does not make: {', '.join(sorted(cased - made))}"


def test_there_are_cases() -> None:
    assert CASES, "no worked example found: have the folders moved?"


@cache
def _read(path: Path) -> Row:
    case = tomllib.loads(path.read_text(encoding="utf-8"))
    strange = set(case) - KEYS
    assert not strange, f"{path.name}: unknown keys {sorted(strange)}"
    assert {"title", "expected"} <= set(case), f"{path.name}: a case needs `title` and `expected`"
    return case


def _given(case: Row) -> dict[str, list[Row]]:
    """Rows by table: those of the case it is like, then its own in place of them."""
    inherited = _given(_read(HERE / f"{case['like']}.toml")) if "like" in case else {}
    every = case.get("every", {})
    own: dict[str, list[Row]] = {}
    for table, rows in case.get("given", {}).items():
        whole = [every.get(table, {}) | row for row in rows]
        relation = load_catalog().relations[table]
        own[table] = [_filled(relation, number, row, case.get("date")) for number, row in enumerate(whole, 1)]
    return inherited | own


def _filled(relation: Relation, number: int, row: Row, day: date | None) -> Row:
    """A given row with what parser and loader would add: the day, and for bronze where it is from."""
    row = {column: _value(value, day) for column, value in row.items()}
    if relation.layer == "bronze":
        row = {"file_id": "log", "line_no": number} | row
        if "message_hash" in relation.column_names:
            # the same message in a second file has the same hash; what says something else has another
            said = sorted((name, str(value)) for name, value in row.items() if name not in LINEAGE)
            row = {"nth": 1, "message_hash": zlib.crc32(repr(said).encode())} | row
    if relation.has_day and "day" not in row:
        instants = (row.get(name) for name in (relation.day_of, *INSTANTS))
        row["day"] = next((value.date() for value in instants if isinstance(value, datetime)), None)
    strange = set(row) - set(relation.column_names)
    assert not strange, f"{relation.full_name} has no column {sorted(strange)}"
    return row


def _value(value: Any, day: date | None) -> Any:
    """A value of a case as DuckDB gives it back."""
    if value == "NULL":
        return None
    if isinstance(value, time) and day:
        return datetime.combine(day, value)
    return value


def _create(connection: duckdb.DuckDBPyConnection, catalog: Catalog) -> None:
    connection.execute(macros())
    for layer in LAYERS:
        connection.execute(f"CREATE SCHEMA {layer}")
    for relation in catalog.relations.values():
        columns = ", ".join(f'"{column.name}" {column.type}' for column in relation.columns)
        connection.execute(f"CREATE TABLE {relation.full_name} ({columns})")
        if relation.is_constant:
            connection.execute(f"INSERT INTO {relation.full_name} {relation.sql}")


def _insert(connection: duckdb.DuckDBPyConnection, relation: Relation, rows: list[Row]) -> None:
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


def _select(connection: duckdb.DuckDBPyConnection, relation: Relation, order: list[str]) -> list[Row]:
    result = connection.execute(f"SELECT * FROM ({relation.sql}) ORDER BY {', '.join(order) or 'ALL'}")
    names = [column[0] for column in result.description or []]
    assert names == relation.column_names, f"the SELECT yields {names}, the header promises {relation.column_names}"
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _compare(case: Row, relation: Relation, found: list[Row]) -> None:
    expected = [{name: _value(value, case.get("date")) for name, value in row.items()} for row in case["expected"]]
    strange = {name for row in expected for name in row} - set(relation.column_names)
    assert not strange, f"{relation.full_name} has no column {sorted(strange)}"
    missing, left = _differences(expected, found, "order" in case)
    count = case.get("expected_count", len(expected))
    columns = list(dict.fromkeys(name for row in expected for name in row)) or relation.column_names
    assert not missing and len(found) == count, "\n".join(
        [
            f"{case['title']}: {len(found)} rows, expected {count}; expected and not found:",
            *map(_shown, missing),
            "found and not expected:",
            *(_shown({name: row[name] for name in columns}) for row in left),
        ]
    )


def _differences(expected: list[Row], found: list[Row], is_ordered: bool) -> tuple[list[Row], list[Row]]:
    """Expected rows that were not found, and found rows that no expected one fits."""
    if is_ordered:
        none: Row = {}
        pairs = [
            (wanted, row) for wanted, row in zip_longest(expected, found, fillvalue=none) if not _fits(wanted, row)
        ]
        return [wanted for wanted, _ in pairs if wanted], [row for _, row in pairs if row]
    missing, left = [], list(found)
    for wanted in expected:
        match = next((row for row in left if _fits(wanted, row)), None)
        if match is None:
            missing.append(wanted)
        else:
            left.remove(match)
    return missing, left


def _shown(row: Row) -> str:
    return "  " + "  ".join(f"{name}={value}" for name, value in row.items())


def _fits(wanted: Row, row: Row) -> bool:
    return bool(row) and all(_is_same(value, row[name]) for name, value in wanted.items())


def _is_same(wanted: Any, found: Any) -> bool:
    if isinstance(wanted, int | float) and isinstance(found, int | float) and not isinstance(wanted, bool):
        return not isinstance(found, bool) and math.isclose(wanted, found, rel_tol=1e-9, abs_tol=1e-12)
    return type(wanted) is type(found) and bool(wanted == found)
