"""Free SQL from anybody: what the guard lets through runs in a process of its own, with limits, into an Arrow table.

The command line, the SQL desk and everybody else who has a text come this way and no other.
"""

import dataclasses
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]

from pipelines import sql_guard, storage
from pipelines.catalog import Column, load_catalog
from pipelines.config import Site
from pipelines.errors import ConfigError, QuestionRefused, TapescopeError
from pipelines.hostile import visible
from pipelines.warehouse import Warehouse

_CODE = Path(__file__).resolve().parent.parent
# Beginnings of the names libpq reads; passed on only where the site uses them.
_ACCESS = ("HOME", "PG")


@dataclass(frozen=True)
class Found:
    """What free SQL found: an Arrow table whose columns are named by their place, and what they are called."""

    columns: list[Column]
    table: pa.Table
    sql: str
    snapshot: int
    is_cut: bool

    def rows(self) -> list[tuple[Any, ...]]:
        """The rows as Python values, the same that a connection's fetchall() gives."""
        with duckdb.connect(":memory:") as decoder:
            decoder.execute("SET TimeZone = 'UTC'")
            return decoder.from_arrow(self.table).fetchall()

    def shown(self, max_rows: int, max_chars: int) -> pa.Table:
        """The first rows for a screen: texts are cut, and what acts rather than shows is written out."""
        table = self.table.slice(0, max_rows)
        for place, kind in enumerate(table.schema):
            if pa.types.is_string(kind.type):
                texts = [None if text is None else visible(text[:max_chars]) for text in table[place].to_pylist()]
                table = table.set_column(place, kind.name, pa.array(texts, pa.string()))
        names = _unique([Column(visible(column.name[:max_chars]), "", "") for column in self.columns])
        return table.rename_columns([column.name for column in names])

    def named(self) -> pa.Table:
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
    known = list(load_catalog().relations)
    allowed = sql_guard.check(sql, known)
    warehouse = Warehouse(site)
    with tempfile.TemporaryDirectory(prefix="tapescope-sql-") as folder:
        request = {
            "sql": allowed.sql,
            "warehouse": str(warehouse.folder.resolve()),
            "catalogue": site.catalogue,
            "data_path": site.data_path and warehouse.data_path,
            "temp_folder": folder,
            "memory": memory,
            "timeout_s": timeout_s,
            "max_rows": max_rows,
            "snapshot": snapshot,
            "plain": plain,
        }
        output = _run(request, _environment(warehouse), timeout_s)
    head, _, stream = output.partition(b"\n")
    answer = json.loads(head)
    if "error" in answer:
        raise _refusal(answer, allowed, known)
    columns = _unique([Column(name, kind, "") for name, kind in answer["columns"]])
    with pa.ipc.open_stream(io.BytesIO(stream)) as reader:
        return Found(columns, reader.read_all(), allowed.sql, answer["snapshot"], answer["is_cut"])


def _environment(warehouse: Warehouse) -> dict[str, str]:
    """Next to nothing: where the code is, and the way to the catalogue and the data if those are servers'."""
    kept = _ACCESS if warehouse.is_postgres else ()
    if storage.is_object_storage(warehouse.data_path):
        kept = (*kept, storage.ENVIRONMENT)
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "PYTHONPATH": str(_CODE),
        **{name: value for name, value in os.environ.items() if kept and name.startswith(kept)},
    }


def _run(request: dict[str, Any], environment: dict[str, str], timeout_s: float) -> bytes:
    """What the worker wrote; its whole process group is dead afterwards."""
    process = subprocess.Popen(
        [sys.executable, "-P", "-s", "-m", "pipelines.sql_worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        cwd=request["temp_folder"],
        start_new_session=True,
    )
    try:
        output, errors = process.communicate(json.dumps(request).encode(), timeout=timeout_s)
    except subprocess.TimeoutExpired:
        raise QuestionRefused(
            f"stopped after {timeout_s:g} s", "ask for fewer days, join on equal columns, or aggregate first"
        ) from None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    if process.returncode < 0:
        raise QuestionRefused(
            f"the statement ended its process ({signal.Signals(-process.returncode).name})", "ask for less at a time"
        )
    if process.returncode or not output:
        raise TapescopeError(f"the SQL process failed: {errors.decode(errors='replace').strip()[-2000:]}")
    return output


_KINDS: dict[str, type[TapescopeError]] = {"ConfigError": ConfigError, "TapescopeError": TapescopeError}


def _refusal(answer: dict[str, Any], allowed: sql_guard.Allowed, known: list[str]) -> TapescopeError:
    """The worker's error as one of ours, with a hint."""
    kind, message = answer["error"], str(answer["message"])
    if kind in _KINDS:
        return _KINDS[kind](message, answer.get("hint", ""))
    if kind in ("OutOfMemoryException", "MemoryError", "ArrowMemoryError"):
        return QuestionRefused("stopped: it needs more memory than it may have", "aggregate first, or ask fewer days")
    if kind == "TooLarge":
        return QuestionRefused("stopped: the answer is too large", "select fewer columns, or aggregate")
    hint = "mend the SQL where it points"
    if message.startswith("Invalid Input Error: No snapshot found"):
        return QuestionRefused("the warehouse does not keep that snapshot", "ask the newest one")
    missing = [table for table in allowed.tables if table not in known]
    if kind == "CatalogException" and missing:
        hint = sql_guard.near(missing[0], known)
    return QuestionRefused(sql_guard.first_lines(duckdb.Error(message)), hint)


def _unique(columns: list[Column]) -> list[Column]:
    """Columns of one name told apart: x, x_2."""
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
