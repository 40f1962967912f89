"""The warehouse: a DuckLake, opened to write by one process at a time and to read by any number.

A connection opens in memory and attaches the lake under the name LAKE. Connections live inside one step and never
cross a fork.

The catalogue is an SQLite file, which is backed up after each step that committed (`backups`), or a PostgreSQL
database. `writer_lock` keeps writers apart, `ownership` keeps the data of one warehouse from another. What libpq takes
from its environment (PGPASSWORD, PGPASSFILE, PGSERVICE and the like) need not be in site.toml.
"""

import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import duckdb

from pipelines.catalog.files import macros
from pipelines.catalog.sql_inspect import quote
from pipelines.config.site import Site
from pipelines.primitives.errors import ConfigError, NoWarehouse
from pipelines.primitives.store_errors import translate_store_errors
from pipelines.warehouse import backups, object_storage, ownership, spill, sqlite_catalogue, writer_lock
from pipelines.warehouse.engine import Connection, check_before_commit, connect, load_sql

__all__ = ["LAKE", "Connection", "Warehouse", "committed", "has_many_files", "snapshot_id"]

LAKE = "lake"
COMMITTED = "committed"  # what a writer calls the last commit, if it reads that apart
WRITE_MEMORY = "1GB"
READ_MEMORY = "2GB"
_EXTENSIONS = ("sqlite_scanner", "ducklake")
_MUST_EXIST = "CREATE_IF_NOT_EXISTS false"
_SMALL_BYTES = 32 << 20  # of data files
MANY_FILES = 2_000  # whose list takes longer to read for each table than to copy once
_WRITE_AHEAD = "META_JOURNAL_MODE 'WAL'"  # SQLite's default journal makes readers and writers lock each other out


class Warehouse:
    """Where a site's tables are, and how to open them."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.folder = site.warehouse_path
        self.catalogue_file = self.folder / "catalogue.sqlite"

    @property
    def is_postgres(self) -> bool:
        return self.site.catalogue.startswith(("postgres:", "postgresql:"))

    @property
    def _connection_string(self) -> str:
        """As libpq reads it: a URL, or key=value pairs after `postgres:`."""
        return re.sub("^(postgres|postgresql):(?!//)", "", self.site.catalogue)

    @property
    def data_path(self) -> str:
        """Relative paths are relative to site.toml."""
        given = self.site.data_path
        return given if "://" in given else str(self.site.root / given if given else self.folder / "data")

    @property
    def backup_folder(self) -> Path:
        return self.folder / "backups"

    def exists(self) -> bool:
        """Whether there is a catalogue, be it damaged: an emptied file is not one."""
        return self.is_postgres or sqlite_catalogue.exists(self.catalogue_file)

    @property
    def identity(self) -> str:
        """A name for the warehouse: another one in the same place, made after this was removed, has another."""
        if self.is_postgres or not self.exists():
            return self.site.catalogue
        file = self.catalogue_file.stat()
        lake = ownership.lake_in(self.data_path)  # a system can give the number of a removed file to the next one
        return f"{self.catalogue_file} {file.st_dev} {file.st_ino} {lake}"

    @contextmanager
    def write(self, step: str) -> Iterator[Connection]:
        """The only writing connection; what it committed is backed up at the end.

        Waits `lock_wait_s` of site.toml for its turn: by default not at all with SQLite, writer_lock.TURN_S with
        PostgreSQL. Raises WarehouseBusy naming the holder if another process has it; ConfigError where the catalogue
        is lost or the data are another warehouse's, TapescopeError where the store is damaged or full.
        """
        with self.turn(step) as require_turn, self.duckdb_session(WRITE_MEMORY) as connection:
            check_before_commit(connection, require_turn)
            claim = self._attach_to_write(connection)
            limit_threads(connection)
            try:
                yield connection
            except Exception:
                with suppress(Exception):  # what failed before is what is to be reported
                    self._keep(connection, claim)
                raise
            self._keep(connection, claim)

    @contextmanager
    def turn(self, step: str) -> Iterator[Callable[[], object]]:
        """The writer's lock alone; what is yielded raises if the lock was lost. Raises WarehouseBusy."""
        wait_s = self.site.lock_wait_s
        with translate_store_errors(*self._places):
            self.folder.mkdir(parents=True, exist_ok=True)
            lock = (
                writer_lock.server_turn(self.folder, self._connection_string, step, wait_s)
                if self.is_postgres
                else writer_lock.file_turn(self.folder, wait_s or 0.0)
            )
            with lock as require_turn, writer_lock.named(self.folder, step):
                spill.sweep(self.temp_folder)
                yield require_turn

    def _attach_to_write(self, connection: Connection) -> ownership.Claim:
        """Attach the lake; a new one is made only where no data are."""
        claim = ownership.read(connection, self.data_path)
        is_used = claim is not None or ownership.has_data(connection, self.data_path)
        if is_used and not self.exists():
            raise self._lost()
        self.attach(connection, ", ".join([_WRITE_AHEAD] * (not self.is_postgres) + [_MUST_EXIST] * is_used))
        return ownership.check(connection, self.data_path, claim)

    def _keep(self, connection: Connection, claim: ownership.Claim) -> None:
        """Back the catalogue up if a snapshot was added, and note which is the newest."""
        newest = ownership.newest(connection)
        has_backup = self.is_postgres or any(one.snapshot == newest for one in backups.kept(self.backup_folder)[:1])
        if newest == claim.snapshot and has_backup:
            return
        if not self.is_postgres:
            connection.execute(f"USE memory; DETACH {LAKE}")
            backups.keep(self.catalogue_file, self.backup_folder, newest)
        ownership.write(connection, self.data_path, replace(claim, snapshot=newest))

    def not_to_be_removed(self, connection: Connection) -> tuple[datetime | None, datetime | None]:
        """When the oldest kept backup was made, and since when unknown files can only be this warehouse's."""
        kept = [] if self.is_postgres else backups.kept(self.backup_folder)
        claim = ownership.read(connection, self.data_path)
        return (kept[-1].made_at if kept else None), (claim.since if claim else None)

    def require(self) -> None:
        """Raise ConfigError where there is no warehouse, or only its data."""
        if not self.exists():
            with self.duckdb_session(READ_MEMORY) as connection:
                raise self._absent(connection)

    def _absent(self, connection: Connection) -> ConfigError:
        is_used = ownership.read(connection, self.data_path) or ownership.has_data(connection, self.data_path)
        hint = "run `tapescope run` (or `tapescope demo`) first"
        return self._lost() if is_used else NoWarehouse(f"there is no warehouse in {self.folder} yet", hint)

    def _lost(self) -> ConfigError:
        """There are data, and no catalogue that names them."""
        if self.is_postgres:
            place, hint = (
                "in PostgreSQL",
                "restore the catalogue from a dump of the database (docs/guides/upgrade-and-backup.md)",
            )
        else:
            place = str(self.catalogue_file)
            found = backups.kept(self.backup_folder)
            hint = (
                f"`tapescope restore` restores the backup of {found[0].made_at:%Y-%m-%d %H:%M} UTC"
                if found
                else "restore the catalogue from a copy; if there is no copy, move the data to another place and run"
                " `tapescope run`, which reads the logs again"
            )
        return ConfigError(f"the catalogue {place} is lost or empty, although its data are in {self.data_path}", hint)

    @contextmanager
    def read(
        self,
        snapshot: int | None = None,
        memory: str = READ_MEMORY,
        is_long_lived: bool = False,
        is_dry_run: bool = False,
    ) -> Iterator[Connection]:
        """A read-only connection whose default catalogue is the lake; keep it only as long as a question takes.

        With `is_long_lived` it answers many questions about one snapshot, read from a copy of the catalogue. With
        `is_dry_run` DuckLake may list unused files, which it does for no read-only connection.
        """
        self.require()
        options = "READ_ONLY" + (f", SNAPSHOT_VERSION {int(snapshot)}" if snapshot is not None else "")
        options = _MUST_EXIST if is_dry_run else options
        with self.duckdb_session(memory) as connection:
            if not self.is_postgres and (
                sqlite_catalogue.stands_still(self.catalogue_file)
                or (is_long_lived and snapshot is not None)
                or is_dry_run
            ):
                self.attach_copy(connection, options, LAKE)
            else:
                self.attach(connection, options)
            limit_threads(connection)
            connection.execute(f"USE {LAKE}")
            yield connection

    @contextmanager
    def duckdb_session(self, memory: str) -> Iterator[Connection]:
        """DuckDB with all that the lake needs, not attached yet; failures of the store become errors of ours."""
        with translate_store_errors(*self._places):
            connection = connect(self._extensions())
            try:
                connection.execute(
                    "SET TimeZone = 'UTC'; SET preserve_insertion_order = false; SET enable_progress_bar = false"
                )
                folder = quote(str(spill.own_folder(self.temp_folder)))
                connection.execute(f"SET memory_limit = '{memory}'; SET temp_directory = {folder}")
                if object_storage.is_object_storage(self.data_path):
                    connection.execute(object_storage.secret_sql(self.data_path))
                connection.execute(macros(self.site.zone))
                yield connection
            finally:
                connection.close()

    def attach(self, connection: Connection, options: str, name: str = LAKE) -> None:
        """Attach the lake. Raises ConfigError where there is none, and none may be made."""
        try:
            connection.execute(self._attach_sql(options, name))
        except duckdb.InvalidInputException as error:
            if "creating a new DuckLake is explicitly disabled" not in str(error):
                raise
            raise self._absent(connection) from None

    @property
    def _places(self) -> tuple[str, str]:
        return str(self.folder), self.data_path

    def attach_committed(self, connection: Connection) -> None:
        """Attach the last commit apart from what a writer changes, if it is read faster so. Call it in no transaction.

        In a lake of few files it is not, and PostgreSQL looks files up by an index.
        """
        if self.is_postgres or not has_many_files(connection):
            return
        try:
            self.attach_copy(connection, "READ_ONLY", COMMITTED)
        except (OSError, sqlite3.Error, duckdb.Error):  # such as no room for the copy, which only saves time
            for one in (COMMITTED, *sqlite_catalogue.COPIES):
                connection.execute(f"DETACH DATABASE IF EXISTS {one}")

    def attach_copy(self, connection: Connection, options: str, name: str) -> None:
        """Attach the lake by DuckDB's own copy of its catalogue. A snapshot is never changed."""
        with sqlite_catalogue.duckdb_copy(connection, self.catalogue_file) as copy:
            connection.execute(self._attach_sql(options, name, str(copy)))
            # once it is open its name may go
            connection.execute(f"FROM __ducklake_metadata_{name}.ducklake_snapshot LIMIT 1")

    def client_sql(self) -> str:
        """What any DuckDB client of this release runs first, to read the warehouse as `read` does."""
        lines = [load_sql(name) for name in self._extensions()]
        if object_storage.is_object_storage(self.data_path):
            lines.append("-- the data are in object storage: first CREATE SECRET (TYPE s3, KEY_ID …, SECRET …)")
        lines += ["SET TimeZone = 'UTC'", self._attach_sql("READ_ONLY"), f"USE {LAKE}", ""]
        return ";\n".join(lines) + macros(self.site.zone)

    def _extensions(self) -> tuple[str, ...]:
        more = ["postgres_scanner"] if self.is_postgres else []
        if object_storage.is_object_storage(self.data_path):
            more.append(object_storage.EXTENSION)
        return (*_EXTENSIONS, *more)

    def _attach_sql(self, options: str, name: str = LAKE, copy: str = "") -> str:
        where = copy or (f"postgres:{self._connection_string}" if self.is_postgres else f"sqlite:{self.catalogue_file}")
        # site.toml says where the data are, not what the catalogue remembers: the folder may have been moved
        parts = [f"DATA_PATH {quote(self.data_path)}", "OVERRIDE_DATA_PATH true", "DATA_INLINING_ROW_LIMIT 0"]
        parts += [options] if options else []
        return f"ATTACH {quote('ducklake:' + where)} AS {name} ({', '.join(parts)})"

    @property
    def temp_folder(self) -> Path:
        """Where rows wait that do not fit into memory."""
        return self.folder / "tmp"


def limit_threads(connection: Connection) -> None:
    """One thread where the lake is small: to hand its few rows from thread to thread takes longer than the work."""
    if _files_and_bytes(connection)[1] < _SMALL_BYTES:
        connection.execute("SET threads = 1")


def has_many_files(connection: Connection) -> bool:
    """Whether a copy of the catalogue saves a reader of many tables more time than it takes to make."""
    return _files_and_bytes(connection)[0] >= MANY_FILES


def _files_and_bytes(connection: Connection) -> tuple[int, int]:
    """How many data files all snapshots have, for each question reads their complete list; the newest one's bytes."""
    files, newest = f"{ownership.book(committed(connection))}.ducklake_data_file", "FILTER (end_snapshot IS NULL)"
    (row,) = connection.execute(f"SELECT count(*), coalesce(sum(file_size_bytes) {newest}, 0) FROM {files}").fetchall()
    return int(row[0]), int(row[1])


def committed(connection: Connection) -> str:
    """The database that shows a writer the last commit: COMMITTED if that is attached, else the lake itself."""
    found = connection.execute(f"SELECT 1 FROM duckdb_databases() WHERE database_name = '{COMMITTED}'").fetchone()
    return COMMITTED if found else LAKE


def snapshot_id(connection: Connection) -> int:
    """Number of the lake's newest snapshot."""
    (row,) = connection.execute(f"SELECT max(snapshot_id) FROM ducklake_snapshots('{LAKE}')").fetchall()
    return int(row[0] or 0)
