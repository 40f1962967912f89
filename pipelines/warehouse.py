"""The warehouse: a DuckLake, opened to write by one process at a time and to read by any number.

A connection opens in memory and attaches the lake under the name LAKE. Connections live inside one step and never
cross a fork.
"""

import importlib.util
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
from filelock import FileLock, Timeout

from pipelines.catalog import Relation
from pipelines.config import Site
from pipelines.errors import ConfigError, WarehouseBusy
from pipelines.statement import quote

LAKE = "lake"
WRITE_MEMORY = "1GB"
READ_MEMORY = "2GB"
_EXTENSIONS = ("sqlite_scanner", "ducklake")
Connection = duckdb.DuckDBPyConnection


class Warehouse:
    """Where a site's tables are, and how to open them."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.folder = site.warehouse_path
        self.catalogue_file = self.folder / "catalogue.sqlite"
        self.lock_file = self.folder / "writer.lock"
        self.holder_file = self.folder / "writer.json"

    @property
    def is_postgres(self) -> bool:
        return self.site.catalogue.startswith(("postgres:", "postgresql:"))

    @property
    def data_path(self) -> str:
        return self.site.data_path or str(self.folder / "data")

    def exists(self) -> bool:
        return self.is_postgres or self.catalogue_file.exists()

    @contextmanager
    def write(self, step: str, wait_s: float = 0.0) -> Iterator[Connection]:
        """The only writing connection. Raises WarehouseBusy naming the holder if another process has it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.lock_file)
        try:
            lock.acquire(timeout=wait_s)
        except Timeout:
            raise WarehouseBusy(
                f"the warehouse {self.folder} is being written by {self._holder()}",
                "wait for it to end, then try again",
            ) from None
        try:
            self.holder_file.write_text(json.dumps({"pid": os.getpid(), "host": os.uname().nodename, "step": step}))
            self._prepare_catalogue()
            with self._attached("", WRITE_MEMORY) as connection:
                yield connection
        finally:
            self.holder_file.unlink(missing_ok=True)
            lock.release()

    @contextmanager
    def read(self, snapshot: int | None = None, memory: str = READ_MEMORY) -> Iterator[Connection]:
        """A read-only connection whose default catalogue is the lake; keep it only as long as a question takes."""
        if not self.exists():
            raise ConfigError(
                f"there is no warehouse in {self.folder} yet", "run `tapescope run` (or `tapescope demo`) first"
            )
        options = "READ_ONLY" + (f", SNAPSHOT_VERSION {int(snapshot)}" if snapshot is not None else "")
        with self._attached(options, memory) as connection:
            connection.execute(f"USE {LAKE}")
            yield connection

    @contextmanager
    def _attached(self, options: str, memory: str) -> Iterator[Connection]:
        connection = duckdb.connect(":memory:")
        try:
            for name in _EXTENSIONS if not self.is_postgres else (*_EXTENSIONS, "postgres_scanner"):
                load_extension(connection, name)
            connection.execute(
                "SET TimeZone = 'UTC'; SET preserve_insertion_order = false; SET enable_progress_bar = false"
            )
            connection.execute(f"SET memory_limit = '{memory}'; SET temp_directory = {quote(str(self._temp_folder()))}")
            connection.execute(self._attach_sql(options))
            yield connection
        finally:
            connection.close()

    def _attach_sql(self, options: str) -> str:
        where = self.site.catalogue if self.is_postgres else f"sqlite:{self.catalogue_file}"
        # site.toml says where the data are, not what the catalogue remembers: the folder may have been moved
        parts = [f"DATA_PATH {quote(self.data_path)}", "OVERRIDE_DATA_PATH true", "DATA_INLINING_ROW_LIMIT 0"]
        if options:
            parts.append(options)
        return f"ATTACH {quote('ducklake:' + where)} AS {LAKE} ({', '.join(parts)})"

    def _temp_folder(self) -> Path:
        return self.folder / "tmp"

    def _prepare_catalogue(self) -> None:
        """SQLite's default journal lets readers and the writer lock each other out; its write-ahead log does not."""
        if not self.is_postgres:
            with sqlite3.connect(self.catalogue_file) as catalogue:
                catalogue.execute("PRAGMA journal_mode = wal")
            catalogue.close()

    def _holder(self) -> str:
        try:
            holder = json.loads(self.holder_file.read_text())
            return f"`tapescope {holder['step']}`, process {holder['pid']} on {holder['host']}"
        except (OSError, ValueError, KeyError):
            return "another process"


def load_extension(connection: Connection, name: str) -> None:
    """Load DuckDB's own signed extension from its installed package: nothing is downloaded, nothing written."""
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    if spec is None or spec.origin is None:
        package = f"duckdb-extension-{name.replace('_', '-')}"
        raise ConfigError(f"the package {package} is not installed", "install the project's requirements.lock")
    version = connection.execute("SELECT library_version FROM pragma_version()").fetchone()
    file = Path(spec.origin).parent / "extensions" / str(version[0] if version else "") / f"{name}.duckdb_extension"
    connection.execute(f"LOAD {quote(str(file))}")


def replace_day(connection: Connection, relation: Relation, day: date, rows: Iterable[dict[str, Any]]) -> None:
    """Write a day's rows where they differ from those that are there: looking again changes nothing."""
    names, table = relation.column_names, f"{LAKE}.{relation.full_name}"
    wanted = sorted((tuple(row[name] for name in names) for row in rows), key=repr)
    present = connection.execute(f"SELECT * FROM {table} WHERE day = ?", [day]).fetchall()
    if wanted == sorted(present, key=repr):
        return
    connection.execute(f"DELETE FROM {table} WHERE day = ?", [day])
    for row in wanted:
        connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(names))})", list(row))


def snapshot_id(connection: Connection) -> int:
    """Number of the lake's newest snapshot."""
    row = connection.execute(f"SELECT max(snapshot_id) FROM ducklake_snapshots('{LAKE}')").fetchone()
    return int(row[0]) if row and row[0] is not None else 0


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Commit at the end, roll back on any error."""
    connection.execute("BEGIN TRANSACTION")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
