"""The process in which free SQL runs: reads one request on standard input, writes the answer, ends.

Its parent starts it afresh for each question, with next to no environment, and kills it when time is up. The answer
is a line of JSON, followed by an Arrow stream if the SQL ran.
"""

import json
import re
import resource
import signal
import sys
from typing import Any

import duckdb
import pyarrow as pa  # type: ignore[import-untyped]

from pipelines.config import Site
from pipelines.errors import TapescopeError
from pipelines.statement import quote
from pipelines.warehouse import Connection, Warehouse, snapshot_id, transaction

MAX_BYTES = 64 * 2**20
MAX_COLUMNS = 1_000
MAX_VALUES = 10_000_000  # a Boolean takes one bit here and an object in the parent
THREADS = 2
# Types that a table on a page, a CSV and a Parquet file all know; the rest becomes a whole number or a text.
_PLAIN = re.compile(
    r"BOOLEAN|U?(TINYINT|SMALLINT|INTEGER|BIGINT)|FLOAT|DOUBLE|VARCHAR|DATE|TIMESTAMP( WITH TIME ZONE|_S|_MS|_NS)?"
    r"|DECIMAL\(\d+,\d+\)"
)
_BATCH_ROWS = 10_000
_OVERHEAD = 3 * 2**30  # address space of the interpreter, its libraries and DuckDB's maps, besides the memory limit
_FILE_BYTES = 2**30


def main() -> int:
    """Answer the request on standard input."""
    request: dict[str, Any] = json.load(sys.stdin)
    _limit_process(request["timeout_s"])
    try:
        head, table = _answer(request)
    except TapescopeError as error:
        head, table = {"error": type(error).__name__, "message": str(error), "hint": error.hint}, None
    except (duckdb.Error, pa.ArrowException, MemoryError, OSError) as error:
        head, table = {"error": type(error).__name__, "message": str(error)}, None
    out = sys.stdout.buffer
    out.write(json.dumps(head).encode() + b"\n")
    if table is not None:
        with pa.ipc.new_stream(out, table.schema) as writer:
            writer.write_table(table)
    out.flush()
    return 0


def _limit_process(timeout_s: float) -> None:
    """Bounds that hold even if the parent is gone."""
    seconds = int(timeout_s) + 5
    signal.alarm(seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (seconds * THREADS, seconds * THREADS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (_FILE_BYTES, _FILE_BYTES))


def _answer(request: dict[str, Any]) -> tuple[dict[str, Any], pa.Table | None]:
    # No root: the parent gives whole paths.
    site = Site(
        name="-", warehouse=request["warehouse"], catalogue=request["catalogue"], data_path=request["data_path"]
    )
    warehouse = Warehouse(site)
    with warehouse.read(request["snapshot"], request["memory"]) as connection:
        _lock_down(connection, warehouse, request["temp_folder"])
        _limit_memory(connection, request["memory"])
        with transaction(connection):
            snapshot = snapshot_id(connection) if request["snapshot"] is None else request["snapshot"]
            result = connection.execute(request["sql"])
            columns = [(name, str(kind)) for name, kind, *_ in result.description]
            table, is_cut = _fetch(result, request["max_rows"]) if len(columns) <= MAX_COLUMNS else (None, False)
            if table is not None and request["plain"]:
                table = _plain(connection, table, [kind for _, kind in columns])
    if table is None:
        return {"error": "TooLarge", "message": ""}, None
    return {"snapshot": snapshot, "columns": columns, "is_cut": is_cut}, table


def _lock_down(connection: Connection, warehouse: Warehouse, temp_folder: str) -> None:
    """Extensions are loaded and the lake is attached: from here on only its data folder can be reached.

    DuckDB knows no folder to read only: that nothing is written into this one is the guard's care.
    """
    for setting in (
        f"threads = {THREADS}",
        f"temp_directory = {quote(temp_folder)}",
        f"max_temp_directory_size = '{_FILE_BYTES}B'",
        "arrow_lossless_conversion = true",
        "python_enable_replacements = false",
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
        n_bytes += batch.nbytes
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


def _count(array: pa.Array) -> int:
    """Number of values, those within lists and structs too."""
    if isinstance(array, pa.ExtensionArray):
        return _count(array.storage)
    if isinstance(array, pa.UnionArray):
        return len(array) + sum(_count(array.field(place)) for place in range(array.type.num_fields))
    if isinstance(array, pa.MapArray):
        return len(array) + _count(array.keys) + _count(array.items)
    if not pa.types.is_nested(array.type):
        return len(array)
    inner = array.flatten()
    return len(array) + (sum(map(_count, inner)) if isinstance(inner, list) else _count(inner))


if __name__ == "__main__":
    sys.exit(main())
