"""What a SELECT reads and calls, from DuckDB's own parsed tree; nothing is executed."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import duckdb

_parser = threading.local()


def parse(sql: str) -> dict[str, Any]:
    """The parsed tree of some SELECTs. `error` is true in it where the text is not made of SELECTs."""
    connection = getattr(_parser, "connection", None)
    if connection is None:
        connection = _parser.connection = duckdb.connect(":memory:")
    # as a literal: binding a parameter would make DuckDB import pandas
    row = connection.execute(f"SELECT json_serialize_sql({quote(sql)})").fetchone()
    tree: dict[str, Any] = json.loads(row[0]) if row else {"error": True}
    return tree


def quote(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def nodes(tree: Any) -> Iterator[dict[str, Any]]:
    """Every object of a parsed tree."""
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            yield node
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)


def tables(sql: str) -> tuple[str, ...]:
    """Full names (`layer.name`) of the tables a SELECT reads; names of its own CTEs left out.

    >>> tables("WITH a AS (SELECT * FROM silver.x) SELECT * FROM a JOIN gold.y USING (id)")
    ('gold.y', 'silver.x')
    """
    tree = parse(sql)
    if tree.get("error"):
        raise ValueError(f"not a SELECT: {tree.get('error_message')}")
    found = {
        f"{node['schema_name']}.{node['table_name']}"
        for node in nodes(tree)
        if node.get("type") == "BASE_TABLE" and node.get("schema_name")
    }
    return tuple(sorted(found))
