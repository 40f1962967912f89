"""The catalogue as an SQLite file: whether it is one, whether it can be read, and copies of it.

DuckDB brings its own SQLite. Two of them in one process do not share their locks, and when one closes a file
the system drops the locks of both: another process may then remove the log that a reader still reads. So Python's
SQLite opens a catalogue only where nothing of this process reads it by DuckDB; `copy_shared` opens it in a process of
its own.
"""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from pipelines.catalog.sql_inspect import quote
from pipelines.warehouse.engine import Connection, connect

_COPY = """
import sqlite3, sys
there, here = sqlite3.connect(sys.argv[1], uri=True), sqlite3.connect(sys.argv[2])
there.backup(here)
here.execute("PRAGMA journal_mode = delete")
"""

COPIES = ("still", "copied")  # databases that are attached while a copy is made

_LAKES: set[tuple[int, int]] = set()  # device and number of the files that were found to be a lake's catalogue


def exists(catalogue: Path) -> bool:
    """Whether a file is the catalogue of a lake, be it damaged: an emptied file is not one."""
    if not catalogue.exists() or not catalogue.stat().st_size:
        return False
    try:
        return _has_lake(catalogue) if stands_still(catalogue) else _has_lake_shared(catalogue)
    except (sqlite3.DatabaseError, duckdb.Error):
        return True


def _has_lake(catalogue: Path) -> bool:
    """Whether a file is the catalogue of a lake. Raises sqlite3.DatabaseError where it is damaged."""
    with closing(_opened(catalogue)) as connection:
        found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'ducklake_metadata'").fetchone()
    return found is not None


def _has_lake_shared(catalogue: Path) -> bool:
    """The same by DuckDB's SQLite, for other threads may read the catalogue by it."""
    file = catalogue.stat()
    identity = (file.st_dev, file.st_ino)
    if identity not in _LAKES:
        with connect(("sqlite_scanner",)) as connection:
            tables = f"sqlite_scan({quote(str(catalogue))}, 'sqlite_master')"
            if connection.execute(f"FROM {tables} WHERE name = 'ducklake_metadata'").fetchall():
                _LAKES.add(identity)
    return identity in _LAKES


def is_sound(catalogue: Path) -> bool:
    """Whether a catalogue is there and can be read from end to end."""
    try:
        if not _has_lake(catalogue):
            return False
        with closing(_opened(catalogue)) as connection:
            return connection.execute("PRAGMA quick_check(1)").fetchall() == [("ok",)]
    except (OSError, sqlite3.Error):
        return False


def identity(catalogue: Path) -> str:
    """The lake's own number, which every copy of a catalogue shares: that of the schema it was made with."""
    with closing(_opened(catalogue)) as connection:
        row = connection.execute("SELECT schema_uuid FROM ducklake_schema WHERE schema_id = 0").fetchone()
    return str(row[0]) if row else ""


def copy(source: Path, target: Path) -> None:
    """SQLite's own backup: a whole state, whatever others do meanwhile. Raises sqlite3.Error."""
    target.unlink(missing_ok=True)
    with closing(_opened(source)) as there, closing(sqlite3.connect(target)) as here:
        there.backup(here)
        here.execute("PRAGMA journal_mode = delete")  # a file alone: to read it SQLite makes no others next to it


def copy_shared(source: Path, target: Path) -> None:
    """`copy` of a catalogue that DuckDB may read in this process. Raises sqlite3.OperationalError."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", _COPY, _address(source), str(target)],
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode:
        raise sqlite3.OperationalError(f"cannot copy {source}: {(done.stderr.splitlines() or ['no reason'])[-1]}")


@contextmanager
def duckdb_copy(connection: Connection, catalogue: Path) -> Iterator[Path]:
    """A copy of a catalogue as a file of DuckDB's own, which is removed at the end.

    DuckLake asks the catalogue for the files of each table of a question, and DuckDB reads an SQLite table as a whole
    for that: with the files of a year 20 ms or more, of its own file 3 ms.
    """
    with TemporaryDirectory(prefix="tapescope-") as folder:
        still, target = Path(folder) / "catalogue.sqlite", Path(folder) / "catalogue.duckdb"
        copy_shared(catalogue, still)
        source, made = COPIES
        connection.execute(f"ATTACH {quote(str(still))} AS {source} (TYPE sqlite, READ_ONLY)")
        connection.execute(f"ATTACH {quote(str(target))} AS {made}; COPY FROM DATABASE {source} TO {made}")
        connection.execute(f"DETACH {source}; DETACH {made}")
        yield target


def _opened(catalogue: Path) -> sqlite3.Connection:
    return sqlite3.connect(_address(catalogue), uri=True)


def _address(catalogue: Path) -> str:
    still = "&immutable=1" if stands_still(catalogue) else ""
    return f"{catalogue.resolve().as_uri()}?mode=ro{still}"


def stands_still(catalogue: Path) -> bool:
    """Whether this user can only read a catalogue in its present state, and not share it with a writer.

    SQLite opens one with a write-ahead log only where that is there, or may be made.
    """
    return not os.access(catalogue.parent, os.W_OK) and not Path(f"{catalogue}-wal").exists()
