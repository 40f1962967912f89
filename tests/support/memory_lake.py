"""A lake in memory: DuckDB alone, for what is not about the store."""

import atexit
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import duckdb
import pytest

from pipelines.answers import snapshot
from pipelines.build import present
from pipelines.catalog.contracts import Relation
from pipelines.catalog.files import load_catalog, macros
from pipelines.catalog.sql_inspect import quote
from pipelines.warehouse import connection, staged_files, tables
from pipelines.warehouse.connection import LAKE, Warehouse
from support import archive
from support.cases import create_tables

_NO_CHECKPOINT = "PRAGMA disable_checkpoint_on_shutdown"  # one of 130 tables takes a tenth of a small build

_SNAPSHOTS = "CREATE TEMP MACRO ducklake_snapshots(lake) AS TABLE SELECT 1 AS snapshot_id"


@contextmanager
def memory_lake() -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection as a writer has it, with every table of the catalogue and no row."""
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"ATTACH ':memory:' AS {LAKE}; SET TimeZone = 'UTC'; SET preserve_insertion_order = false")
        create_tables(connection, load_catalog(), f"{LAKE}.")
        connection.execute(f"USE {LAKE}")
        yield connection


@contextmanager
def plain_store() -> Iterator[None]:
    """Warehouses of this process as one file of plain DuckDB each, instead of a lake.

    All SQL runs as it does on a lake, in less than half the time; there are no snapshots, backups and data files.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Warehouse, "exists", lambda warehouse: _file(warehouse).exists())
        patch.setattr(Warehouse, "identity", property(lambda warehouse: str(_file(warehouse))))
        patch.setattr(Warehouse, "attach", _attach)
        patch.setattr(Warehouse, "attach_copy", lambda warehouse, to, options, _: _attach(warehouse, to, options))
        patch.setattr(Warehouse, "_attach_to_write", _attach_to_write)
        patch.setattr(Warehouse, "attach_committed", _attach_committed)
        patch.setattr(Warehouse, "_keep", lambda *_: None)
        patch.setattr(Warehouse, "_extensions", lambda _: ())
        patch.setattr(connection, "_files_and_bytes", lambda _: (0, 2**40))
        patch.setattr(tables, "note_tables", lambda *_: None)
        patch.setattr(staged_files.Place, "of", classmethod(lambda cls, _, data_path: cls(data_path, {})))
        patch.setattr(staged_files, "_add", _add)
        patch.setattr(present, "row_counts", _row_counts)
        patch.setattr(snapshot, "macros", lambda zone: f"{_SNAPSHOTS}; {macros(zone)}")
        patch.setattr(archive, "empty_warehouse", empty_file)
        yield


def _file(warehouse: Warehouse) -> Path:
    return warehouse.folder / "lake.duckdb"


def _attach_to_write(warehouse: Warehouse, connection: duckdb.DuckDBPyConnection) -> None:
    if not _file(warehouse).exists():  # tables are never made one by one: DuckDB knows no partitions
        shutil.copytree(empty_file(), warehouse.folder, dirs_exist_ok=True)
    _attach(warehouse, connection, "")


def _attach_committed(_: Warehouse, lake: duckdb.DuckDBPyConnection) -> None:
    if not connection.MANY_FILES:
        lake.execute(f"ATTACH ':memory:' AS {connection.COMMITTED}")
        lake.execute(f"COPY FROM DATABASE {LAKE} TO {connection.COMMITTED}")


def _attach(warehouse: Warehouse, connection: duckdb.DuckDBPyConnection, options: str) -> None:
    mode = " (READ_ONLY)" if options.startswith("READ_ONLY") else ""
    connection.execute(f"ATTACH {quote(str(_file(warehouse)))} AS {LAKE}{mode}")
    connection.execute(f"{_SNAPSHOTS}; {_NO_CHECKPOINT}")


def _add(connection: duckdb.DuckDBPyConnection, relation: Relation, paths: list[str]) -> None:
    """What DuckLake registers is inserted."""
    columns = ", ".join(f'"{column}"' for column in relation.column_names)
    files = f"[{', '.join(map(quote, paths))}]"
    connection.execute(
        f"INSERT INTO {LAKE}.{relation.full_name} ({columns}) SELECT {columns}"
        f" FROM read_parquet({files}, hive_partitioning = true, hive_types = {{'day': DATE}})"
    )


def _row_counts(connection: duckdb.DuckDBPyConnection) -> dict[str, int]:
    rows = connection.execute(
        "SELECT schema_name || '.' || table_name, estimated_size FROM duckdb_tables()"
        f" WHERE database_name = '{LAKE}' AND estimated_size > 0"
    ).fetchall()
    return dict(rows)


@cache
def empty_file() -> Path:
    """A folder with every table and no row, made once a process.

    The tables stay in the log of the file: DuckDB reads them there in half the time, and in a hundredth of the bytes.
    """
    folder = Path(tempfile.mkdtemp(prefix="tapescope-plain-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with duckdb.connect(":memory:") as connection:
        connection.execute(f"ATTACH {quote(str(folder / 'lake.duckdb'))} AS {LAKE}; {_NO_CHECKPOINT}")
        create_tables(connection, load_catalog(), f"{LAKE}.")
    return folder
