"""What a SELECT reads and calls, from DuckDB's own parsed tree; nothing is executed."""

import json
import re
import threading
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

import duckdb

_parser = threading.local()
_BASE_TABLE = re.compile(r'"type":"BASE_TABLE",.*?"schema_name":"([^"]*)","table_name":"([^"]*)"')


def parse(sql: str) -> dict[str, Any]:
    """The parsed tree of some SELECTs. `error` is true in it where the text is not made of SELECTs."""
    tree: dict[str, Any] = json.loads(_serialized(sql))
    return tree


def _serialized(sql: str) -> str:
    connection = getattr(_parser, "connection", None)
    if connection is None:
        connection = _parser.connection = duckdb.connect(":memory:")
    row = connection.execute(bind("SELECT json_serialize_sql(?)", [sql])).fetchone()
    return str(row[0]) if row else '{"error": true}'


def quote(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


_FEW_VALUES = 5_000
# Text that may hold a parameter's mark without being one, then the marks.
_MARK = re.compile(r"""'(?:[^']|'')*'|"[^"]*"|--[^\n]*|/\*.*?\*/|\$(?P<name>[A-Za-z_]\w*)|(?P<place>\?)""", re.DOTALL)


def execute(
    connection: duckdb.DuckDBPyConnection, sql: str, values: Sequence[Any] | Mapping[str, Any]
) -> duckdb.DuckDBPyConnection:
    """Run a statement with parameters, `?` in turn or `$name`.

    For the first parameter of a process DuckDB imports pandas, which takes longer than most questions: few values are
    written into the statement. Many go as parameters, for to parse their text takes longer than that.
    """
    given = values.values() if isinstance(values, Mapping) else values
    n_values = sum(len(value) if isinstance(value, list | tuple) else 1 for value in given)
    return connection.execute(bind(sql, values)) if n_values <= _FEW_VALUES else connection.execute(sql, values)


def bind(sql: str, values: Sequence[Any] | Mapping[str, Any]) -> str:
    """The statement with its parameters, `?` in turn or `$name`, as literals. Raises ValueError for one too many.

    >>> bind("SELECT ?, '?' WHERE day = ?", [1.5, date(2010, 3, 9)])
    "SELECT CAST('1.5' AS DOUBLE), '?' WHERE day = DATE '2010-03-09'"
    """
    in_turn = iter(() if isinstance(values, Mapping) else values)

    def replaced(found: re.Match[str]) -> str:
        if found["place"]:
            return literal(next(in_turn))
        if found["name"] and isinstance(values, Mapping):
            return literal(values[found["name"]])
        return found[0]

    bound = _MARK.sub(replaced, sql)
    if any(True for _ in in_turn):
        raise ValueError(f"there are more values than parameters in the SQL: {sql}")
    return bound


def literal(value: Any) -> str:
    """A Python value as an SQL literal of the type that DuckDB gives it as a parameter.

    >>> literal(["it's", None])
    "[CAST('it''s' AS VARCHAR), NULL]"
    """
    match value:
        case None:
            return "NULL"
        case bool() | int():
            return f"({value})"
        case float():
            return f"CAST('{value}' AS DOUBLE)"
        case str():
            parts = (f"CAST({quote(part)} AS VARCHAR)" for part in value.split("\0"))  # which ends a statement
            return " || chr(0) || ".join(parts)
        case datetime():
            return f"{'TIMESTAMP' if value.tzinfo is None else 'TIMESTAMPTZ'} '{value.isoformat(' ')}'"
        case date():
            return f"DATE '{value}'"
        case list() | tuple():
            return f"[{', '.join(map(literal, value))}]"
    raise TypeError(f"a value of type {type(value).__name__} cannot be written in SQL")


def tables(sql: str) -> tuple[str, ...]:
    """Full names (`layer.name`) of the tables a SELECT reads; names of its own CTEs left out.

    >>> tables("WITH a AS (SELECT * FROM silver.x) SELECT * FROM a JOIN gold.y USING (id)")
    ('gold.y', 'silver.x')
    """
    serialized = _serialized(sql)
    if serialized.startswith('{"error":true'):
        raise ValueError(f"not a SELECT: {json.loads(serialized).get('error_message')}")
    # to load and walk the whole tree takes ten times as long; in a text of the SQL each quote would be escaped
    return tuple(sorted({f"{schema}.{table}" for schema, table in _BASE_TABLE.findall(serialized) if schema}))
