"""The confined process in which free SQL is judged and runs.

Its parent (`pool`) starts it with next to no environment and says once which warehouse it opens; then comes one
request at a time. A request and the head of an answer are a line of JSON each; the head says how many bytes of an Arrow
stream follow. The process ends with its standard input, or after an idle while.

Statements share the process and its open warehouse, and nothing else: each runs on a cursor of its own, in a
transaction that is rolled back, under settings that are locked. The working folder holds a link to the warehouse and
one to its data, and the process knows no other path: DuckDB's messages about files name none of the host's folders.
"""

import io
import json
import os
import re
import resource
import select
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]

from pipelines.answers import guard
from pipelines.catalog.files import macros
from pipelines.catalog.sql_inspect import quote
from pipelines.config.site import Site
from pipelines.primitives.errors import TapescopeError
from pipelines.warehouse.connection import LAKE, Connection, Warehouse, snapshot_id

MAX_BYTES = 64 * 2**20
MAX_COLUMNS = 1_000
MAX_VALUES = 10_000_000  # a Boolean takes one bit here and an object in the parent
THREADS = 2
IDLE_S = 600
# Types that a table on a page, a CSV and a Parquet file all know; the rest becomes a whole number or a text.
_PLAIN = re.compile(
    r"BOOLEAN|U?(TINYINT|SMALLINT|INTEGER|BIGINT)|FLOAT|DOUBLE|VARCHAR|DATE|TIMESTAMP( WITH TIME ZONE|_S|_MS|_NS)?"
    r"|DECIMAL\(\d+,\d+\)"
)
_BATCH_ROWS = 10_000
_OVERHEAD = 3 * 2**30  # address space of the interpreter, its libraries and DuckDB's maps, besides the memory limit
_FILE_BYTES = 2**30
# After these the process is as before. Any other error (memory, a fault of DuckDB, a full disk) is its last answer.
_HARMLESS = (
    *(duckdb.ParserException, duckdb.BinderException, duckdb.CatalogException, duckdb.ConversionException),
    *(duckdb.InvalidInputException, duckdb.OutOfRangeException, duckdb.SyntaxException, duckdb.NotImplementedException),
)


def main() -> int:
    """Answer requests until standard input ends."""
    requests = io.FileIO(sys.stdin.fileno(), closefd=False)  # unbuffered: `select` sees all that was not read yet
    try:
        opening: dict[str, Any] = json.loads(requests.readline())
        _limit_process()
        try:
            with _opened(opening) as connection:
                _serve(connection, opening, requests)
        except (TapescopeError, duckdb.Error, MemoryError, OSError) as error:
            _write(_problem(error) | {"is_reusable": False}, None)
    finally:
        shutil.rmtree(os.getcwd(), ignore_errors=True)  # the parent may be gone
    return 0


def _serve(connection: Connection, opening: dict[str, Any], requests: io.FileIO) -> None:
    sys.stdout.buffer.write(b"\n")  # the time limit of the first statement begins here
    sys.stdout.buffer.flush()
    while select.select([requests], [], [], IDLE_S)[0]:
        line = requests.readline()
        if not line:
            return
        request: dict[str, Any] = json.loads(line)
        _limit_statement(request["timeout_s"])
        try:
            head, table = _answer(connection, request, opening["snapshot"])
            head["is_reusable"] = True
        except (TapescopeError, duckdb.Error, pa.ArrowException, MemoryError, OSError) as error:
            head, table = _problem(error), None
        head["resident_bytes"] = _resident_bytes()
        _write(head, table)
        signal.alarm(0)


def _problem(error: Exception) -> dict[str, Any]:
    is_ours = isinstance(error, TapescopeError)
    return {
        "error": type(error).__name__,
        "message": str(error),
        "hint": error.hint if isinstance(error, TapescopeError) else "",
        "is_reusable": is_ours or isinstance(error, _HARMLESS),
    }


def _write(head: dict[str, Any], table: pa.Table | None) -> None:
    sink = pa.BufferOutputStream()
    if table is not None:
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
    stream = sink.getvalue()
    out = sys.stdout.buffer
    out.write(json.dumps(head | {"n_bytes": stream.size}).encode() + b"\n")
    out.write(stream)
    out.flush()


def _resident_bytes() -> int:
    """Memory in use after a statement. (The peak that getrusage knows may be that of the parent, before the start.)"""
    try:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()
    except OSError:  # no Linux
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


# --- bounds ---------------------------------------------------------------------------------------------------------


def _limit_process() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))


def _limit_statement(timeout_s: float) -> None:
    """Bounds that hold even if the parent is gone."""
    seconds = int(timeout_s) + 5
    signal.alarm(seconds)
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(
        resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds * THREADS, resource.RLIM_INFINITY)
    )


@contextmanager
def _opened(opening: dict[str, Any]) -> Iterator[Connection]:
    # No root: the working folder holds links to all of it.
    site = Site(
        name="-", warehouse=opening["warehouse"], catalogue=opening["catalogue"], data_path=opening["data_path"]
    )
    warehouse = Warehouse(site)
    with warehouse.read(opening["snapshot"], opening["memory"]) as connection:
        _lock_down(connection, warehouse)
        _limit_memory(connection, opening["memory"])
        yield connection


def _lock_down(connection: Connection, warehouse: Warehouse) -> None:
    """Extensions are loaded and the lake is attached: from here on only its data folder can be reached.

    DuckDB knows no folder to read only: that nothing is written into this one is the guard's care.
    """
    for setting in (
        f"threads = {THREADS}",
        "temp_directory = 'spill'",
        f"max_temp_directory_size = '{_FILE_BYTES}B'",
        "GLOBAL TimeZone = 'UTC'",
        "GLOBAL arrow_lossless_conversion = true",
        "GLOBAL python_enable_replacements = false",
        "autoinstall_known_extensions = false",
        "autoload_known_extensions = false",
        f"allowed_directories = [{quote(warehouse.data_path)}]",
        "enable_external_access = false",
        "lock_configuration = true",
    ):
        connection.execute(f"SET {setting}")


def _limit_memory(connection: Connection, memory: str) -> None:
    """DuckDB's own limit does not count everything, such as one huge string."""
    # A literal and no parameter: for the first parameter DuckDB imports pandas, half a start-up.
    row = connection.execute(f"SELECT parse_formatted_bytes({quote(memory)})").fetchone()
    limit = int(row[0] if row else 0) + _OVERHEAD
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


# --- one statement --------------------------------------------------------------------------------------------------


def _answer(connection: Connection, request: dict[str, Any], pinned: int | None) -> tuple[dict[str, Any], Any]:
    """The head of an answer and its table. Raises QuestionRefused for what the guard does not let through."""
    allowed = guard.check(request["sql"], request["known"])
    with connection.cursor() as cursor:
        cursor.execute(f"USE {LAKE}; {macros()}")
        cursor.execute("BEGIN TRANSACTION")
        try:
            snapshot = snapshot_id(cursor) if pinned is None else pinned
            result = cursor.execute(allowed.runs)
            columns = [(name, str(kind)) for name, kind, *_ in result.description]
            table, is_cut = _fetch(result, request["max_rows"]) if len(columns) <= MAX_COLUMNS else (None, False)
            if table is not None and request["plain"]:
                table = _plain(cursor, table, [kind for _, kind in columns])
        except duckdb.CatalogException as error:
            missing = [name for name in allowed.tables if name not in request["known"]]
            if missing:
                raise guard.unknown_table(error, missing[0], request["known"]) from None
            if str(error).startswith("Catalog Error: Table with name"):  # one that this release has
                raise guard.other_release(cursor) from None
            raise
        finally:
            cursor.execute("ROLLBACK")
    if table is None:
        return {"error": "TooLarge", "message": "", "hint": ""}, None
    return {"sql": allowed.sql, "snapshot": snapshot, "columns": columns, "is_cut": is_cut}, table


def _fetch(result: Connection | duckdb.DuckDBPyRelation, max_rows: int) -> tuple[pa.Table | None, bool]:
    """The rows up to a number, and whether there were more; no table if they are too large."""
    reader = result.to_arrow_reader(_BATCH_ROWS)
    # Names may come twice, which Arrow's readers do not like: the header has them.
    schema = pa.schema([field.with_name(str(place)) for place, field in enumerate(reader.schema)])
    batches: list[pa.RecordBatch] = []
    n_rows = n_bytes = n_values = 0
    for batch in reader:
        batches.append(pa.RecordBatch.from_arrays(batch.columns, schema=schema))
        n_rows += batch.num_rows
        n_bytes += batch.nbytes + sum(_hidden_bytes(column) for column in batch.columns)
        n_values += sum(_count(column) for column in batch.columns)
        if n_bytes > MAX_BYTES or n_values > MAX_VALUES:
            return None, False
        if n_rows > max_rows:
            break
    table = pa.Table.from_batches(batches, schema)
    return table.slice(0, max_rows), n_rows > max_rows


def _plain(connection: Connection, table: pa.Table, kinds: list[str]) -> pa.Table | None:
    """The same rows in types that any reader knows; none if they are too large. Texts of lists may be."""
    found = connection.from_arrow(table)
    chosen = []
    for place, kind in enumerate(kinds):
        name = f'"{place}"'
        if kind in ("HUGEINT", "UHUGEINT"):
            row = found.aggregate(f"coalesce(bool_and(TRY_CAST({name} AS BIGINT) IS NOT NULL), true)").fetchone()
            kind = "BIGINT" if row and row[0] else kind
        plain = kind if _PLAIN.fullmatch(kind) else "VARCHAR"
        chosen.append(f"CAST({name} AS {plain}) AS {name}")
    return _fetch(found.project(", ".join(chosen)), table.num_rows)[0]


def _inner(array: pa.Array) -> list[pa.Array]:
    """The arrays that an array of lists, structs and the like is made of."""
    if isinstance(array, pa.ExtensionArray):
        return [array.storage]
    if isinstance(array, pa.UnionArray):
        return [array.field(place) for place in range(array.type.num_fields)]
    if isinstance(array, pa.MapArray):
        return [array.keys, array.items]
    if not pa.types.is_nested(array.type):
        return []
    inner = array.flatten()
    return inner if isinstance(inner, list) else [inner]


def _count(array: pa.Array) -> int:
    """Number of values, those within lists and structs too."""
    own = 0 if isinstance(array, pa.ExtensionArray) else len(array)
    return own + sum(map(_count, _inner(array)))


def _hidden_bytes(array: pa.Array) -> int:
    """Bytes that texts of an ENUM take once each is written out: here a value is a small number."""
    if isinstance(array, pa.DictionaryArray):
        lengths = pc.binary_length(array.dictionary)
        return int(pc.sum(pc.take(lengths, array.indices)).as_py() or 0)
    return sum(map(_hidden_bytes, _inner(array)))


if __name__ == "__main__":
    sys.exit(main())
