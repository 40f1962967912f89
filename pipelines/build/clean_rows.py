"""Whether every row passes a relation's checks, asked in one statement of plain SQL.

Great Expectations takes a process seconds to load and some milliseconds for each check, however few the rows, and on
most nights no row fails. So it is asked only of relations that this statement does not clear. The statement may err in
one direction only: it never clears what Great Expectations would fail. A check it has no SQL for clears nothing.
"""

from typing import Any

import duckdb

from pipelines.catalog.contracts import Check, Relation
from pipelines.catalog.sql_inspect import quote
from pipelines.warehouse.connection import Connection

_NUMBERS = ("BIGINT", "INTEGER", "SMALLINT", "TINYINT", "DOUBLE", "FLOAT", "UBIGINT", "UINTEGER", "HUGEINT")
_FEW = 10_000  # rows
_EITHER, _BOTH = "either_value_is_missing", "both_values_are_missing"


def copy_few(connection: Connection, rows: str) -> str:
    """A SELECT of the same rows, which are copied if they are few: the lake is asked once and not by each check."""
    copied = connection.execute(f"CREATE OR REPLACE TEMP TABLE few_rows AS {rows} LIMIT {_FEW + 1}").fetchone()
    return "SELECT * FROM temp.few_rows" if copied and copied[0] <= _FEW else rows


def are_clean(connection: Connection, relation: Relation, rows: str) -> bool:
    """Whether all checks of a relation pass on the rows of a SELECT."""
    tests = [_failing(relation, check, rows) for check in relation.checks]
    asked_twice = any(check in relation.checks[:place] for place, check in enumerate(relation.checks))
    if asked_twice or None in tests:
        return False
    of_rows = [sql for sql in tests if sql and not sql.startswith("EXISTS")]
    parts = [sql for sql in tests if sql and sql.startswith("EXISTS")]
    if of_rows:
        parts.append(f"EXISTS (FROM ({rows}) WHERE {' OR '.join(of_rows)})")
    try:
        found = connection.execute(f"SELECT {' OR '.join(parts)}").fetchone()
    except (duckdb.BinderException, duckdb.CatalogException, duckdb.ParserException):
        return False  # such a check cannot run: Great Expectations says which
    return found is not None and not found[0]


def _failing(relation: Relation, check: Check, rows: str) -> str | None:
    """A condition that rows meet which fail a check, or EXISTS (…) where it is of many rows; None: not known."""
    kinds = {column.name: column.type for column in relation.columns}
    match check.expectation, check.kwargs:
        case "ExpectColumnValuesToNotBeNull", {"column": column, **more} if not more:
            return f"{_name(column)} IS NULL"
        case "ExpectColumnValuesToBeBetween", {"column": column, **limits} if kinds.get(column) in _NUMBERS:
            return _outside(_name(column), limits)
        case "ExpectColumnValuesToBeInSet", {"column": column, "value_set": [*values], **more} if not more:
            is_text = kinds.get(column) == "VARCHAR" and values and all(isinstance(value, str) for value in values)
            return f"{_name(column)} NOT IN ({', '.join(map(quote, values))})" if is_text else None
        case "ExpectColumnPairValuesAToBeGreaterThanB", {"column_A": a, "column_B": b, **more}:
            return _not_greater(_name(a), _name(b), more) if kinds.get(a) == kinds.get(b) else None
        case "ExpectColumnValuesToBeUnique", {"column": column, **more} if not more:
            return _repeated(rows, [column])
        case "ExpectCompoundColumnsToBeUnique", {"column_list": [*columns], **more} if not more:
            return _repeated(rows, columns)
        case "UnexpectedRowsExpectation", {"unexpected_rows_query": str(query), **more} if not set(more) - {
            "description"
        }:
            return f"EXISTS ({query.replace('{batch}', f'({rows})')})"
    return None


def _outside(column: str, limits: dict[str, Any]) -> str | None:
    signs = {"min_value": "<", "max_value": ">"}
    if not limits or any(name not in signs or type(limit) not in (int, float) for name, limit in limits.items()):
        return None
    return " OR ".join(f"{column} {signs[name]} {limit!r}" for name, limit in limits.items())


def _not_greater(a: str, b: str, options: dict[str, Any]) -> str | None:
    if not set(options) <= {"or_equal", "ignore_row_if"} or options.get("ignore_row_if", _BOTH) not in (_EITHER, _BOTH):
        return None
    return f"{a} {'<' if options.get('or_equal') else '<='} {b}"


def _repeated(rows: str, columns: list[str]) -> str:
    """Values that come twice; as in Great Expectations those of which one is NULL do not count."""
    names = [*map(_name, columns)]
    there = " AND ".join(f"{name} IS NOT NULL" for name in names)
    return f"EXISTS (SELECT 1 FROM ({rows}) WHERE {there} GROUP BY {', '.join(names)} HAVING count(*) > 1)"


def _name(column: str) -> str:
    return f'"{column}"'
