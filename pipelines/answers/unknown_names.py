"""Names that a question was asked about, and that neither a log nor site.toml has."""

import difflib
from collections.abc import Collection

import duckdb

from pipelines.catalog.contracts import Catalog
from pipelines.catalog.sql_inspect import execute
from pipelines.primitives.text import did_you_mean, single_line
from pipelines.warehouse.connection import Connection

# By parameter: the column that has such names, and the word for them.
NAMED = {
    "drive": ("drive", "drive"),
    "station": ("station", "station"),
    "volume": ("volume", "tape"),
    "group": ("storage_group", "storage group"),
    "pool": ("pool", "pool"),
}
_LAYERS = ("site", "silver", "gold")


def is_known(connection: Connection, catalog: Catalog, kind: str, name: str) -> bool:
    """Whether a row of any relation has the name of a drive, tape or the like; assumed before the first build."""
    column = NAMED[kind][0]
    tables = [
        relation.full_name
        for relation in catalog.relations.values()
        if relation.layer in _LAYERS and any(one.name == column and one.type == "VARCHAR" for one in relation.columns)
    ]
    rows = " UNION ALL ".join(f"(SELECT 1 FROM {table} WHERE {column} = $name LIMIT 1)" for table in tables)
    try:
        return execute(connection, f"{rows} LIMIT 1", {"name": name}).fetchone() is not None
    except duckdb.Error:  # such as a lost data file: the question itself was answered
        return True


def unknown_name(kind: str, name: str, known: Collection[str]) -> str:
    """That nothing names a drive, tape or the like, and which names are similar, or the same in another case.

    >>> unknown_name("drive", "lto4_101", ["LTO4_101", "LTO4_102"])
    "No log and no site.toml names a drive 'lto4_101': did you mean LTO4_101?"
    """
    by_case = {one.lower(): one for one in known}
    close = difflib.get_close_matches(name.lower(), sorted(by_case), n=3, cutoff=0.6)
    near = [by_case[one] for one in ([name.lower()] if name.lower() in by_case else close)]
    what = f"No log and no site.toml names a {NAMED[kind][1]} {single_line(name)!r}"
    return f"{what}: {did_you_mean(near)}" if near else f"{what}."
