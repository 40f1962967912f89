"""Free SQL from anybody: judged and run in a confined process, with limits, into an Arrow table.

The command line, the SQL desk and everybody else who has a text come this way and no other.
"""

import dataclasses
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from pipelines.answers import guard, pool
from pipelines.catalog.contracts import Column
from pipelines.catalog.files import load_catalog
from pipelines.config.site import Site
from pipelines.primitives.errors import ConfigError, QuestionRefused, TapescopeError
from pipelines.primitives.store_errors import known_error
from pipelines.primitives.text import escape_control
from pipelines.warehouse import object_storage
from pipelines.warehouse.connection import Warehouse

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

_CODE = Path(__file__).resolve().parents[2]
# Beginnings of the names libpq reads; passed on only where the site uses them.
_ACCESS = ("HOME", "PG")


@dataclass(frozen=True)
class Found:
    """What free SQL found: an Arrow table whose columns are named by their place, and what they are called."""

    columns: list[Column]
    table: "pa.Table"
    sql: str
    snapshot: int
    is_cut: bool

    def rows(self) -> list[tuple[Any, ...]]:
        """The rows as Python values, the same that a connection's fetchall() gives."""
        with duckdb.connect(":memory:") as decoder:
            decoder.execute("SET TimeZone = 'UTC'")
            return decoder.from_arrow(self.table).fetchall()

    def shown(self, max_rows: int, max_chars: int) -> "pa.Table":
        """The first rows for a screen: texts are cut, and what acts rather than shows is written out."""
        import pyarrow as pa  # heavy to import

        table = self.table.slice(0, max_rows)
        for place, kind in enumerate(table.schema):
            if pa.types.is_string(kind.type):
                texts = [
                    None if text is None else escape_control(text[:max_chars]) for text in table[place].to_pylist()
                ]
                table = table.set_column(place, kind.name, pa.array(texts, pa.string()))
        names = _unique([Column(escape_control(column.name[:max_chars]), "", "") for column in self.columns])
        return table.rename_columns([column.name for column in names])

    def named(self) -> "pa.Table":
        """All rows under their names, for files."""
        return self.table.rename_columns([column.name for column in self.columns])


def run(
    site: Site,
    sql: str,
    timeout_s: float = 30,
    memory: str = "1GB",
    max_rows: int = 100_000,
    snapshot: int | None = None,
    plain: bool = False,
) -> Found:
    """Run it on the newest snapshot, or on one that is kept; `plain` wants only types that any reader knows.

    Raises QuestionRefused for what is not run, or stopped.
    """
    warehouse = Warehouse(site)
    warehouse.require()
    import pyarrow as pa  # heavy to import

    request = {
        "sql": sql,
        "known": list(load_catalog().relations),
        "timeout_s": timeout_s,
        "max_rows": max_rows,
        "plain": plain,
    }
    head, stream = pool.ask(_opening(warehouse, memory, snapshot), request, timeout_s)
    if "error" in head:
        raise _refusal(head)
    columns = _unique([Column(name, kind, "") for name, kind in head["columns"]])
    with pa.ipc.open_stream(stream) as reader:
        return Found(columns, reader.read_all(), head["sql"], head["snapshot"], head["is_cut"])


def _opening(warehouse: Warehouse, memory: str, snapshot: int | None) -> pool.Opening:
    """The process finds the warehouse, and data that are in another folder, by links: it knows no path of this host."""
    site = warehouse.site
    links = [("warehouse", str(warehouse.folder.resolve()))]
    data_path = site.data_path
    if data_path and not object_storage.is_object_storage(warehouse.data_path):
        links.append(("data", str(Path(warehouse.data_path).resolve())))
        data_path = "data"
    request = {
        "warehouse": "warehouse",
        "catalogue": site.catalogue,
        "data_path": data_path,
        "memory": memory,
        "snapshot": snapshot,
    }
    environment = tuple(sorted(_environment(warehouse).items()))
    return pool.Opening(tuple(links), json.dumps(request), environment, warehouse.identity)


def _environment(warehouse: Warehouse) -> dict[str, str]:
    """Next to nothing: where the code is, and the way to the catalogue and the data if those are servers'."""
    kept = _ACCESS if warehouse.is_postgres else ()
    if object_storage.is_object_storage(warehouse.data_path):
        kept = (*kept, object_storage.ENVIRONMENT)
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(_CODE),
        **{name: value for name, value in os.environ.items() if kept and name.startswith(kept)},
    }


_KINDS: dict[str, type[TapescopeError]] = {
    kind.__name__: kind for kind in (ConfigError, QuestionRefused, TapescopeError)
}


def _refusal(head: dict[str, Any]) -> TapescopeError:
    """The process's error as one of ours, with a hint."""
    kind, message = head["error"], str(head["message"])
    if kind in _KINDS:
        return _KINDS[kind](message, head["hint"])
    if kind in ("OutOfMemoryException", "MemoryError", "ArrowMemoryError"):
        return QuestionRefused(
            "the query was stopped because it needs more memory than it may use",
            "aggregate first, or select fewer days",
        )
    if kind == "TooLarge":
        return QuestionRefused(
            "the query was stopped because its answer is too large", "select fewer columns, or aggregate"
        )
    if kind in ("IOException", "HTTPException") and (own := known_error(duckdb.IOException(message))) is not None:
        return own
    if message.startswith("Invalid Input Error: No snapshot found"):
        return QuestionRefused("the warehouse does not keep that snapshot", "use the newest snapshot")
    return QuestionRefused(guard.first_lines(duckdb.Error(message)), guard.CORRECT)


def _unique(columns: list[Column]) -> list[Column]:
    """Columns of the same name numbered: x, x_2."""
    seen: set[str] = set()
    unique = []
    for column in columns:
        name, count = column.name, 1
        while name in seen:
            count += 1
            name = f"{column.name}_{count}"
        seen.add(name)
        unique.append(dataclasses.replace(column, name=name))
    return unique
