"""Backups of an SQLite catalogue: one after each step that committed, the newest few and one a day kept.

The catalogue alone knows which Parquet file holds which rows of which snapshot; with a backup a lost catalogue costs
what was committed since, and the logs of that are read again. A backup is worth something only while the files it
names are there. DuckLake removes a file two days after the last snapshot that needs it has gone, or after it was
merged into another. `maintenance` waits longer where a kept backup is older than that: a file goes only if it was given
up before the oldest kept backup was made, so every kept backup finds all files of all its snapshots. After a restore,
files that the restored catalogue does not know stay: see `ownership`.

The folder is next to the catalogue, on the same disk: it helps against a lost, emptied or damaged file, not against a
lost disk. A PostgreSQL catalogue is its operator's to back up (docs/guides/upgrade-and-backup.md).

DuckDB brings its own SQLite. Two of them in one process do not share their locks, and when one closes a file
the system drops the locks of both: another process may then remove the log that a reader still reads. So Python's
SQLite opens a catalogue only where nothing of this process reads it by DuckDB; `copy_shared` opens it in a process of
its own.
"""

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pipelines.primitives.errors import TapescopeError

NEWEST = 5
DAYS = 7  # of this many days before, the last one of each
_NAME = re.compile(r"catalogue-(\d{8}T\d{12})Z-(\d+)\.sqlite")
_TIME = "%Y%m%dT%H%M%S%f"
_SIDES = ("-wal", "-shm")
_COPY = """
import sqlite3, sys
there, here = sqlite3.connect(sys.argv[1], uri=True), sqlite3.connect(sys.argv[2])
there.backup(here)
here.execute("PRAGMA journal_mode = delete")
"""


@dataclass(frozen=True)
class Backup:
    """A copy of the catalogue after a commit."""

    path: Path
    made_at: datetime  # UTC
    snapshot: int  # the lake's newest one in it


def kept(folder: Path) -> list[Backup]:
    """The backups in a folder, the newest first."""
    found = []
    for path in folder.glob("catalogue-*.sqlite"):
        if name := _NAME.fullmatch(path.name):
            found.append(Backup(path, datetime.strptime(name[1], _TIME).replace(tzinfo=UTC), int(name[2])))
    return sorted(found, key=lambda backup: backup.made_at, reverse=True)


def keep(catalogue: Path, folder: Path, snapshot: int) -> Backup:
    """Copy the catalogue while others read it, check the copy, and remove superseded copies.

    Raises TapescopeError where the copy is damaged, for then the catalogue is; older backups stay. Raises OSError and
    sqlite3.Error.
    """
    folder.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    path = folder / f"catalogue-{now.strftime(_TIME)}Z-{snapshot}.sqlite"
    unfinished = path.with_suffix(".part")
    for left in folder.glob("*.part"):  # of writers that were killed
        left.unlink(missing_ok=True)
    try:
        copy(catalogue, unfinished)
        if not is_sound(unfinished):
            raise TapescopeError(
                f"the catalogue {catalogue} is damaged, so no backup was made",
                "run `tapescope restore --force` to restore the newest undamaged backup",
            )
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
    for old in _superseded(kept(folder)):
        old.path.unlink(missing_ok=True)
    return Backup(path, now, snapshot)


def _superseded(backups: list[Backup]) -> list[Backup]:
    """All but the newest few and the newest of each of the last days with any."""
    of_day: dict[object, Backup] = {}
    for backup in backups:
        of_day.setdefault(backup.made_at.date(), backup)
    kept_paths = {backup.path for backup in (*backups[:NEWEST], *list(of_day.values())[:DAYS])}
    return [backup for backup in backups if backup.path not in kept_paths]


def has_lake(catalogue: Path) -> bool:
    """Whether a file is the catalogue of a lake. Raises sqlite3.DatabaseError where it is damaged."""
    if not catalogue.exists() or not catalogue.stat().st_size:
        return False
    with closing(_opened(catalogue)) as connection:
        found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'ducklake_metadata'").fetchone()
    return found is not None


def is_sound(catalogue: Path) -> bool:
    """Whether a catalogue is there and can be read from end to end."""
    try:
        if not has_lake(catalogue):
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


def put_back(backup: Backup, catalogue: Path) -> Path | None:
    """Make a backup the catalogue; returns the folder in which what was there is kept, if anything was.

    What SQLite keeps next to a catalogue goes with it: a log of the old file would be played into the new one.
    """
    there = [path for end in ("", *_SIDES) if (path := Path(f"{catalogue}{end}")).exists()]
    aside = backup.path.parent / f"replaced-{datetime.now(UTC).strftime(_TIME)}" if there else None
    unfinished = catalogue.with_suffix(".part")
    try:
        copy(backup.path, unfinished)
        if aside is not None:
            aside.mkdir()
            for path in there:
                os.replace(path, aside / path.name)
        os.replace(unfinished, catalogue)
    finally:
        unfinished.unlink(missing_ok=True)
    return aside


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


def copy(source: Path, target: Path) -> None:
    """SQLite's own backup: a whole state, whatever others do meanwhile. Raises sqlite3.Error."""
    target.unlink(missing_ok=True)
    with closing(_opened(source)) as there, closing(sqlite3.connect(target)) as here:
        there.backup(here)
        here.execute("PRAGMA journal_mode = delete")  # a file alone: to read it SQLite makes no others next to it


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
