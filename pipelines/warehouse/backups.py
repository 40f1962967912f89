"""Backups of an SQLite catalogue: one after each step that committed, the newest few and one a day kept.

The catalogue alone knows which Parquet file holds which rows of which snapshot; with a backup a lost catalogue costs
what was committed since, and the logs of that are read again. A backup is worth something only while the files it
names are there. DuckLake removes a file two days after the last snapshot that needs it has gone, or after it was
merged into another. `maintenance` waits longer where a kept backup is older than that: a file goes only if it was given
up before the oldest kept backup was made, so every kept backup finds all files of all its snapshots. After a restore,
files that the restored catalogue does not know stay: see `ownership`.

The folder is next to the catalogue, on the same disk: it helps against a lost, emptied or damaged file, not against a
lost disk. A PostgreSQL catalogue is its operator's to back up (docs/guides/upgrade-and-backup.md).
"""

import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pipelines.primitives.errors import TapescopeError
from pipelines.warehouse.sqlite_catalogue import copy, is_sound

NEWEST = 5
DAYS = 7  # of this many days before, the last one of each
_NAME = re.compile(r"catalogue-(\d{8}T\d{12})Z-(\d+)\.sqlite")
_TIME = "%Y%m%dT%H%M%S%f"
_SIDES = ("-wal", "-shm")


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
    """Remove copies that a new one supersedes, so that it has room; copy the catalogue while others read it, and check.

    Raises TapescopeError where the copy is damaged, for then the catalogue is; the other backups stay. Raises OSError
    and sqlite3.Error.
    """
    folder.mkdir(exist_ok=True)
    now = datetime.now(UTC)
    _date_back(folder, now)
    made = Backup(folder / _name(now, snapshot), now, snapshot)
    unfinished = made.path.with_suffix(".part")
    for left in folder.glob("*.part"):  # of writers that were killed
        left.unlink(missing_ok=True)
    for old in _superseded([made, *kept(folder)]):
        old.path.unlink(missing_ok=True)
    try:
        copy(catalogue, unfinished)
        if not is_sound(unfinished):
            raise TapescopeError(
                f"the catalogue {catalogue} is damaged, so no backup was made",
                "run `tapescope restore --force` to restore the newest undamaged backup",
            )
        os.replace(unfinished, made.path)
    finally:
        unfinished.unlink(missing_ok=True)
    return made


def _name(made_at: datetime, snapshot: int) -> str:
    return f"catalogue-{made_at.strftime(_TIME)}Z-{snapshot}.sqlite"


def _date_back(folder: Path, now: datetime) -> None:
    """Date the backups of a clock that was ahead just before now, in their order: or a new one would count as older."""
    ahead = [backup for backup in kept(folder) if backup.made_at >= now]
    for n, backup in enumerate(reversed(ahead)):
        backup.path.rename(folder / _name(now - timedelta(microseconds=len(ahead) - n), backup.snapshot))


def _superseded(backups: list[Backup]) -> list[Backup]:
    """All but the newest few and the newest of each of the last days with any."""
    of_day: dict[object, Backup] = {}
    for backup in backups:
        of_day.setdefault(backup.made_at.date(), backup)
    kept_paths = {backup.path for backup in (*backups[:NEWEST], *list(of_day.values())[:DAYS])}
    return [backup for backup in backups if backup.path not in kept_paths]


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
