"""What was read of one batch of files, until the writer puts it into the lake."""

import shutil
import tempfile
from pathlib import Path

import polars as pl

from pipelines.ingest.reading import Reading
from pipelines.ingest.rows import Setup
from pipelines.warehouse import staged_files
from pipelines.warehouse.connection import LAKE, Connection
from pipelines.warehouse.staged_files import Stage, StagedFile

HELD_BYTES = 16 * 2**20  # of rows; more are put down in files
_PREFIX = "stage-"


class Staging:
    """Readings of files that are in; `flush` registers their files, inserts their rows and marks their days."""

    def __init__(self, connection: Connection, setup: Setup) -> None:
        self.connection, self.relations = connection, setup.relations
        self.stage = Stage(setup.place, connection, setup.aside)
        self.kept: list[Reading] = []
        self.held: dict[str, list[pl.DataFrame]] = {}  # by relation, with all its columns
        self.held_bytes = 0
        self.files: list[StagedFile] = []
        self.spent: list[StagedFile] = []  # inserted, and to be removed when that is committed

    def keep(self, reading: Reading) -> None:
        """A file is in."""
        for name, rows in reading.held.items():
            self.held.setdefault(name, []).append(rows.with_columns(file_id=pl.lit(reading.file_id, pl.String)))
            self.held_bytes += int(rows.estimated_size())
        reading.held = {}
        self.files += reading.files
        self.kept.append(reading)
        if self.held_bytes > HELD_BYTES:
            self._put_down()

    def has(self, reading: Reading) -> bool:
        """Whether this one was the last that was kept."""
        return bool(self.kept) and self.kept[-1] is reading

    def _put_down(self) -> None:
        """Held rows into files, so that memory stays the same however large a batch is."""
        self.files += [self.stage.write_rest(self.relations[name], self._taken(name)) for name in list(self.held)]
        self.held_bytes = 0

    def _taken(self, name: str) -> pl.DataFrame:
        """What is held of a relation, sorted by day so that a batch adds few files to the lake."""
        rows = pl.concat(self.held.pop(name))
        return rows.sort("day", maintain_order=True) if "day" in rows.columns else rows

    def flush(self) -> list[str]:
        """Put all that was kept into the lake, in the caller's transaction; returns the file_ids."""
        if not all(file.is_final for file in self.files):
            self._put_down()
        staged_files.register(self.connection, self.relations, self.files)
        for name in sorted(self.held):  # a small batch never leaves the memory
            columns = ", ".join(f'"{column}"' for column in self.relations[name].column_names)
            self.connection.register("staged_rows", self._taken(name).lazy())
            self.connection.execute(f"INSERT INTO {LAKE}.{name} ({columns}) SELECT {columns} FROM staged_rows")
            self.connection.unregister("staged_rows")
        self._mark_days()
        self.spent += [file for file in self.files if not file.is_final]
        file_ids = [reading.file_id for reading in self.kept]
        self.kept, self.files, self.held_bytes = [], [], 0
        return file_ids

    def clear(self) -> None:
        """The transaction is committed: files whose rows were inserted go."""
        staged_files.remove(self.spent)
        self.spent = []

    def _mark_days(self) -> None:
        """Days of the rows that were kept: what is built from them is to be built again."""
        marks = {(name, day) for reading in self.kept for name, days in reading.days.items() for day in days}
        if marks:
            dirty = pl.DataFrame(list(marks), schema={"relation": pl.String, "day": pl.Date}, orient="row")
            self.connection.register("dirty", dirty.lazy())
            self.connection.execute(f"INSERT INTO {LAKE}.ops.dirty_day SELECT relation, day FROM dirty")
            self.connection.unregister("dirty")


def fresh_folder(spill: Path) -> "tempfile.TemporaryDirectory[str]":
    """A folder for rows that wait; those of writers that were killed go, as only one writes at a time."""
    spill.mkdir(parents=True, exist_ok=True)
    for left in spill.glob(f"{_PREFIX}*"):
        shutil.rmtree(left, ignore_errors=True)
    return tempfile.TemporaryDirectory(prefix=_PREFIX, dir=spill)
