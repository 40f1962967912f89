"""The warehouse: a DuckLake, opened to write by one process at a time and to read by any number.

A connection opens in memory and attaches the lake under the name LAKE. Connections live inside one step and never
cross a fork.

The catalogue is an SQLite file, and a lock beside it makes the second writer give up; or it is a PostgreSQL database,
in which an advisory lock makes writers on any number of hosts take turns. Both locks go with their process. What
libpq takes from its environment (PGPASSWORD, PGPASSFILE, PGSERVICE and the like) need not stand in site.toml.
"""

import importlib.util
import json
import os
import re
import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
from filelock import FileLock, Timeout

from pipelines import storage
from pipelines.catalog import Relation
from pipelines.config import Site
from pipelines.errors import ConfigError, TapescopeError, WarehouseBusy
from pipelines.statement import quote

LAKE = "lake"
WRITE_MEMORY = "1GB"
READ_MEMORY = "2GB"
TURN_S = 3600.0  # a writer waits so long for its turn at a PostgreSQL catalogue
_POLL_S = 0.2
_LOCK_KEY = 7_461_706_573  # of the advisory lock; such keys hold for one database
_EXTENSIONS = ("sqlite_scanner", "ducklake")
_checked: set[str] = set()  # extensions whose signature this process has seen to be DuckDB's
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
    def _connection_string(self) -> str:
        """As libpq reads it: a URL, or key=value pairs behind `postgres:`."""
        return re.sub("^(postgres|postgresql):(?!//)", "", self.site.catalogue)

    @property
    def data_path(self) -> str:
        """Relative paths are relative to site.toml."""
        given = self.site.data_path
        return given if "://" in given else str(self.site.root / given if given else self.folder / "data")

    def exists(self) -> bool:
        return self.is_postgres or self.catalogue_file.exists()

    @contextmanager
    def write(self, step: str) -> Iterator[Connection]:
        """The only writing connection. Raises WarehouseBusy naming the holder if another process has it.

        It waits `lock_wait_s` of site.toml for it: by default not at all with SQLite, TURN_S with PostgreSQL.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        wait_s = self.site.lock_wait_s
        with self._turn(step, TURN_S if wait_s is None else wait_s) if self.is_postgres else self._lock(wait_s or 0.0):
            try:
                self.holder_file.write_text(json.dumps({"pid": os.getpid(), "host": os.uname().nodename, "step": step}))
                self._prepare_catalogue()
                with self._attached("", WRITE_MEMORY) as connection:
                    yield connection
            finally:
                self.holder_file.unlink(missing_ok=True)

    @contextmanager
    def _lock(self, wait_s: float) -> Iterator[None]:
        """The lock beside an SQLite catalogue."""
        lock = FileLock(self.lock_file)
        try:
            lock.acquire(timeout=wait_s)
        except Timeout:
            raise self._busy(self._holder()) from None
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def _turn(self, step: str, wait_s: float) -> Iterator[None]:
        """The lock in a PostgreSQL catalogue, held by a transaction on a connection of its own."""
        until = time.monotonic() + wait_s
        keeper = _connect(("postgres_scanner",))
        try:
            keeper.execute("SET enable_progress_bar = false")
            with self._told_apart():
                keeper.execute(f"ATTACH {quote(self._connection_string)} AS turn (TYPE postgres)")
            me = f"tapescope {step}, process {os.getpid()} on {os.uname().nodename}"
            while True:
                keeper.execute("BEGIN")
                _ask_server(keeper, f"SELECT set_config('application_name', {quote(me)}, false)")
                if _ask_server(keeper, f"SELECT pg_try_advisory_xact_lock({_LOCK_KEY})"):
                    break
                holder = _ask_server(keeper, _HOLDER_SQL)
                keeper.execute("ROLLBACK")
                if time.monotonic() > until:
                    raise self._busy(holder or "another process")
                time.sleep(_POLL_S)
            yield
        finally:
            keeper.close()

    def _busy(self, holder: str) -> WarehouseBusy:
        return WarehouseBusy(
            f"the warehouse {self.folder} is being written by {holder}", "wait for it to end, then try again"
        )

    @contextmanager
    def _told_apart(self) -> Iterator[None]:
        """What libpq says of a server that is away, or refuses, as an error of ours."""
        try:
            yield
        except duckdb.Error as error:
            if not self.is_postgres or "Unable to connect to Postgres" not in str(error):
                raise
            said = re.sub(r'^.*?Unable to connect to Postgres at "[^"]*": ', "", str(error), flags=re.DOTALL)
            said = " ".join(said.split())
            message = f"the catalogue of the warehouse cannot be reached: {said}"
            if re.search(r"FATAL|password|no pg_hba|does not exist", said):
                hint = "mend `catalogue` in site.toml, or PGUSER, PGPASSWORD, PGPASSFILE in the environment"
                raise ConfigError(message, hint) from None
            raise TapescopeError(message, "is the server running, and are PGHOST and PGPORT right?") from None

    @contextmanager
    def read(
        self, snapshot: int | None = None, memory: str = READ_MEMORY, is_kept: bool = False
    ) -> Iterator[Connection]:
        """A read-only connection whose default catalogue is the lake; keep it only as long as a question takes.

        Unless it `is_kept`, for many questions about one snapshot: then that is read from a copy of the catalogue.
        """
        if not self.exists():
            raise no_warehouse(self.folder)
        options = "READ_ONLY" + (f", SNAPSHOT_VERSION {int(snapshot)}" if snapshot is not None else "")
        with self._attached(options, memory, is_kept and snapshot is not None) as connection:
            connection.execute(f"USE {LAKE}")
            yield connection

    @contextmanager
    def _attached(self, options: str, memory: str, has_copy: bool = False) -> Iterator[Connection]:
        connection = _connect(self._extensions())
        try:
            connection.execute(
                "SET TimeZone = 'UTC'; SET preserve_insertion_order = false; SET enable_progress_bar = false"
            )
            connection.execute(f"SET memory_limit = '{memory}'; SET temp_directory = {quote(str(self._temp_folder()))}")
            if storage.is_object_storage(self.data_path):
                connection.execute(storage.secret_sql(self.data_path))
            if has_copy and not self.is_postgres:
                self._attach_copy(connection, options)
            else:
                with self._told_apart():
                    connection.execute(self._attach_sql(options))
            yield connection
        except duckdb.HTTPException as error:
            said = str(error).splitlines()[0]
            raise TapescopeError(f"object storage at {self.data_path} fails: {said}", storage.HINT) from error
        finally:
            connection.close()

    def _attach_copy(self, connection: Connection, options: str) -> None:
        """The lake by DuckDB's own copy of its catalogue.

        DuckLake asks the catalogue for the files of each table of a question, and DuckDB reads an SQLite table as a
        whole for that: with the files of a year 20 ms or more, of its own file 3 ms. A snapshot is never changed.
        """
        with TemporaryDirectory(prefix="tapescope-") as folder:
            still, copy = Path(folder) / "catalogue.sqlite", Path(folder) / "catalogue.duckdb"
            there = sqlite3.connect(f"{self.catalogue_file.resolve().as_uri()}?mode=ro", uri=True)
            with closing(there), closing(sqlite3.connect(still)) as here:
                there.backup(here)
            connection.execute(f"ATTACH {quote(str(still))} AS still (TYPE sqlite, READ_ONLY)")
            connection.execute(f"ATTACH {quote(str(copy))} AS copied; COPY FROM DATABASE still TO copied")
            connection.execute(f"DETACH still; DETACH copied; {self._attach_sql(options, str(copy))}")
            connection.execute("SELECT count(*) FROM duckdb_tables()")  # it is open: its name may go

    def client_sql(self) -> str:
        """What any DuckDB client of this release runs first, to read the warehouse as `read` does."""
        lines = [_load_sql(name) for name in self._extensions()]
        if storage.is_object_storage(self.data_path):
            lines.append("-- the data are in object storage: first CREATE SECRET (TYPE s3, KEY_ID …, SECRET …)")
        return ";\n".join([*lines, "SET TimeZone = 'UTC'", self._attach_sql("READ_ONLY"), f"USE {LAKE}", ""])

    def _extensions(self) -> tuple[str, ...]:
        more = ["postgres_scanner"] if self.is_postgres else []
        if storage.is_object_storage(self.data_path):
            more.append(storage.EXTENSION)
        return (*_EXTENSIONS, *more)

    def _attach_sql(self, options: str, copy: str = "") -> str:
        where = copy or (f"postgres:{self._connection_string}" if self.is_postgres else f"sqlite:{self.catalogue_file}")
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


_HOLDER_SQL = (
    "SELECT max(a.application_name) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid"
    f" WHERE l.locktype = 'advisory' AND l.granted AND (l.classid::bigint << 32) + l.objid::bigint = {_LOCK_KEY}"
)


def _ask_server(keeper: Connection, sql: str) -> Any:
    """One value of a PostgreSQL server, in the transaction that is open with it."""
    row = keeper.execute(f"SELECT * FROM postgres_query('turn', {quote(sql)})").fetchone()
    return row[0] if row else None


def no_warehouse(folder: Path) -> ConfigError:
    """Nothing was ever written there."""
    return ConfigError(f"there is no warehouse in {folder} yet", "run `tapescope run` (or `tapescope demo`) first")


def _connect(extensions: tuple[str, ...]) -> Connection:
    """A database of its own with DuckDB's signed extensions from their packages: nothing is downloaded or written.

    To check a signature takes 0.1 s, most of what opening costs: a process does it once for each extension.
    """
    is_checked = _checked.issuperset(extensions)
    connection = duckdb.connect(":memory:", config={"allow_unsigned_extensions": is_checked})
    try:
        for name in extensions:
            connection.execute(_load_sql(name))
        connection.execute("SET allow_unsigned_extensions = false")  # which nothing can take back
    except BaseException:
        connection.close()
        raise
    _checked.update(extensions)
    return connection


def _load_sql(name: str) -> str:
    spec = importlib.util.find_spec(f"duckdb_extension_{name}")
    if spec is None or spec.origin is None:
        package = f"duckdb-extension-{name.replace('_', '-')}"
        raise ConfigError(f"the package {package} is not installed", "install the project's requirements.lock")
    folder = Path(spec.origin).parent / "extensions" / f"v{duckdb.__version__}"
    return f"LOAD {quote(str(folder / f'{name}.duckdb_extension'))}"


def replace_day(connection: Connection, relation: Relation, day: date, rows: Iterable[dict[str, Any]]) -> None:
    """Write a day's rows where they differ from those that are there: looking again changes nothing."""
    names, table = relation.column_names, f"{LAKE}.{relation.full_name}"
    wanted = sorted((tuple(row[name] for name in names) for row in rows), key=repr)
    present = connection.execute(f"SELECT * FROM {table} WHERE day = ?", [day]).fetchall()
    if wanted == sorted(present, key=repr):
        return
    connection.execute(f"DELETE FROM {table} WHERE day = ?", [day])
    if wanted:  # one statement for all: each would cost 10 ms, and of tapes there are thousands
        columns = ", ".join(f"unnest(CAST(? AS {column.type}[]))" for column in relation.columns)
        connection.execute(f"INSERT INTO {table} SELECT {columns}", list(map(list, zip(*wanted, strict=True))))


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
