"""What is known of files: `ops.file` and `ops.place` in memory while files are read, written back once a batch.

A statement a file would cost more with every file: each insert is a small file of its own in the lake, and each
question reads them all.
"""

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from pipelines import sources
from pipelines.catalog.contracts import Catalog, Relation
from pipelines.sources import blocks
from pipelines.sources.protocol import Carry, Origin
from pipelines.warehouse.connection import LAKE, Connection

Row = dict[str, Any]
Span = tuple[datetime, datetime]  # first and last instant
_TYPES: dict[str, pl.DataType] = {
    "VARCHAR": pl.String(),
    "BIGINT": pl.Int64(),
    "INTEGER": pl.Int32(),
    "TIMESTAMP": pl.Datetime("us"),
}
REFUSED = ("failed", "unknown")


@dataclass(frozen=True)
class Part:
    """A row of `ops.file`, as far as the next reading of that file needs it."""

    file_id: str
    path: str
    sha256: str
    origin: str
    source: str
    source_version: int
    state: str
    reason: str
    end_offset: int
    end_line: int
    prefix_sha256: str
    carry: str
    first_at: datetime | None
    last_at: datetime | None

    def is_read_as(self, stem: str, origin: Origin) -> bool:
        """Read by this source in its present version, with this origin."""
        source = sources.all_sources().get(stem)
        wanted = (stem, source.VERSION if source else None)
        return (self.source, self.source_version) == wanted and self.origin == origin_text(origin)

    def fits(self, stem: str, origin: Origin) -> bool:
        """As `is_read_as`, and its rows are in."""
        return self.state == "loaded" and self.is_read_as(stem, origin)

    def differs_in(self, origin: Origin) -> set[str]:
        """What another origin says otherwise."""
        mine, other = json.loads(self.origin), json.loads(origin_text(origin))
        return {name for name in mine.keys() | other.keys() if mine.get(name) != other.get(name)}

    @property
    def date(self) -> str:
        """The date that site.toml or its path gave it."""
        return str(json.loads(self.origin).get("date", "no date"))

    @property
    def span(self) -> Span | None:
        """Its first and last instant."""
        return (self.first_at, self.last_at) if self.first_at and self.last_at else None

    @property
    def has_whole_head(self) -> bool:
        """Its first lines are all that a source judges by; of a shorter file more lines may change what it is."""
        return bool(self.end_offset) and (self.end_line >= blocks.HEAD_LINES or self.end_offset >= blocks.HEAD_BYTES)

    def start(self) -> tuple[blocks.Start, Carry]:
        """Where to read on, and what the parser must know there."""
        return blocks.Start(self.end_offset, self.end_line, self.prefix_sha256), json.loads(self.carry)


@dataclass(frozen=True)
class Place:
    """A path, the part with which its content ended when it was read, and its size and time on disk just before."""

    path: str
    file_id: str
    size_bytes: int
    modified_ns: int

    def is_same(self, status: os.stat_result | None) -> bool:
        """Neither longer nor shorter nor written to since."""
        return status is not None and (self.size_bytes, self.modified_ns) == (status.st_size, status.st_mtime_ns)


def origin_text(origin: Origin) -> str:
    """The part of a file's identity that site.toml gives: same text elsewhere means other rows."""
    values = {k: v for k, v in vars(origin).items() if k not in ("path", "head", "modified_at") and v not in (None, "")}
    return json.dumps(values, sort_keys=True, default=str)


class FileBook:
    """Rows of `ops.file` by file_id, and places by path.

    Changes reach the lake with `write_back`, in the caller's transaction.
    """

    def __init__(self, connection: Connection, catalog: Catalog) -> None:
        self.connection = connection
        self.relations: dict[str, Relation] = {name: catalog.relations[f"ops.{name}"] for name in ("file", "place")}
        self.rows: dict[str, Row] = {}
        self.by_path: dict[str, list[str]] = {}
        self.by_content: dict[tuple[str, str], list[str]] = {}
        self.continued: dict[str, set[str]] = {}  # by part, those that continue it
        self.places: dict[str, Place] = {}
        self.paths_of: dict[str, set[str]] = {}  # by part, the paths that hold it
        self.stale: set[str] = set()  # file_ids whose row in the lake is no longer true
        self.fresh: set[str] = set()  # file_ids whose row is not in the lake
        self.moved: set[str] = set()  # paths whose place in the lake is no longer true
        for row in self._read("file", "ORDER BY path, from_offset, file_id"):
            self._index(row)
        for row in self._read("place"):
            if row["file_id"] in self.rows:
                self._put(Place(**row))
        for path in self.by_path.keys() - self.places.keys():  # as an older version left them
            self._put(_newest(path, self.at(path)))

    def _read(self, name: str, order: str = "") -> Iterable[Row]:
        names = self.relations[name].column_names
        columns = ", ".join(f'"{name}"' for name in names)
        found = self.connection.execute(f"SELECT {columns} FROM {LAKE}.ops.{name} {order}")
        return (dict(zip(names, values, strict=True)) for values in found.fetchall())

    def _index(self, row: Row) -> None:
        self.rows[row["file_id"]] = row
        self.by_path.setdefault(row["path"], []).append(row["file_id"])
        self.by_content.setdefault((row["sha256"], row["source"]), []).append(row["file_id"])
        if row["continues"] and row["state"] not in REFUSED:
            self.continued.setdefault(row["continues"], set()).add(row["file_id"])

    def _put(self, place: Place) -> None:
        if before := self.places.get(place.path):
            self.paths_of[before.file_id].discard(place.path)
        self.places[place.path] = place
        self.paths_of.setdefault(place.file_id, set()).add(place.path)

    # --- what is known ---------------------------------------------------------------------------------------

    def at(self, path: str) -> list[Row]:
        """The parts read from a path, now or before other content took their place."""
        return [self.rows[file_id] for file_id in self.by_path.get(path, [])]

    def part(self, file_id: str) -> Part:
        """A part by its file_id."""
        row = self.rows[file_id]
        return Part(**{name: row[name] for name in Part.__dataclass_fields__})

    def part_at(self, path: str) -> Part | None:
        """The part with which the content of a path ended when it was last read, if ever."""
        place = self.places.get(path)
        return self.part(place.file_id) if place else None

    def is_current(
        self, path: str, status: os.stat_result, origin: Origin, source: str = "", is_refusal_known: bool = False
    ) -> bool:
        """Nothing can have changed: the same file on disk, read by the same source with the same origin.

        `source` is the one that site.toml gives, if any. A file that was refused is read again each time, unless
        its refusal counts as known.
        """
        place = self.places.get(path)
        if place is None or not place.is_same(status):
            return False
        part = self.part(place.file_id)
        if part.state in REFUSED:
            return is_refusal_known
        return part.state == "withdrawn" or part.fits(source or part.source, origin)

    def with_content(self, sha256: str, source: str) -> list[Part]:
        """The parts of a source that end with this content, wherever it lay; those refused are left out."""
        ids = self.by_content.get((sha256, source), [])
        return [self.part(file_id) for file_id in ids if self.rows[file_id]["state"] not in REFUSED]

    def tips(self, file_ids: Iterable[str]) -> list[Part]:
        """Those of some parts that were not refused, and that none continues."""
        return [
            self.part(file_id)
            for file_id in file_ids
            if self.rows[file_id]["state"] not in REFUSED and not self.continued.get(file_id)
        ]

    def up_to(self, file_id: str) -> list[str]:
        """A part's file_id and those of the parts it continues."""
        found: list[str] = []
        here: str | None = file_id
        while here in self.rows and here not in found:
            found.append(here)
            here = self.rows[here]["continues"]
        return found

    def chain(self, file_id: str) -> list[str]:
        """A part's file_id and those of all parts before and after it."""
        found, todo = {file_id}, [file_id]
        while todo:
            here = todo.pop()
            before = self.rows.get(here, {}).get("continues")
            new = {i for i in (before, *self.continued.get(here, ())) if i in self.rows} - found
            found |= new
            todo += new
        return sorted(found)

    # --- changes ---------------------------------------------------------------------------------------------

    def add(self, values: Row) -> None:
        """A new part, or the same again; columns that are not given are NULL."""
        row: Row = dict.fromkeys(self.relations["file"].column_names) | values
        if row == self.rows.get(row["file_id"]):
            return
        self.remove([row["file_id"]])
        self._index(row)
        self.fresh.add(row["file_id"])

    def remove(self, file_ids: Iterable[str]) -> None:
        """Forget parts, and where they lie."""
        for file_id in file_ids:
            row = self.rows.pop(file_id, None)
            if row is None:
                continue
            self.by_path[row["path"]].remove(file_id)
            self.by_content[row["sha256"], row["source"]].remove(file_id)
            self.continued.get(row["continues"], set()).discard(file_id)
            for path in self.paths_of.pop(file_id, ()):
                del self.places[path]
                self.moved.add(path)
            self.stale.add(file_id)
            self.fresh.discard(file_id)

    def refused_at(self, path: str) -> list[str]:
        """The notes of what a path held and could not be read."""
        return [row["file_id"] for row in self.at(path) if row["state"] in REFUSED]

    def put(self, place: Place) -> None:
        """What a path holds now."""
        if self.places.get(place.path) != place:
            self._put(place)
            self.moved.add(place.path)

    def move(self, file_ids: Iterable[str], path: str) -> None:
        """Parts that were read elsewhere lie at this path now."""
        for file_id in file_ids:
            row = self.rows[file_id]
            if row["path"] != path:
                self.by_path[row["path"]].remove(file_id)
                self.by_path.setdefault(path, []).append(file_id)
                self.change(file_id, path=path)

    def change(self, file_id: str, **values: Any) -> None:
        """New values for some columns of a part; none of those it is found by."""
        self.rows[file_id].update(values)
        self.stale.add(file_id)
        self.fresh.add(file_id)

    def write_back(self) -> None:
        """Bring the lake up to date."""
        self._write("file", "file_id", self.stale, [self.rows[file_id] for file_id in sorted(self.fresh)])
        places = [vars(self.places[path]) for path in sorted(self.moved) if path in self.places]
        self._write("place", "path", self.moved, places)
        self.stale.clear()
        self.fresh.clear()
        self.moved.clear()

    def _write(self, name: str, key: str, stale: set[str], fresh: list[Row]) -> None:
        if stale:
            self.connection.execute(
                f"DELETE FROM {LAKE}.ops.{name} WHERE {key} IN (SELECT unnest(?::VARCHAR[]))", [sorted(stale)]
            )
        if fresh:
            schema = {column.name: _TYPES[column.type] for column in self.relations[name].columns}
            columns = ", ".join(f'"{name}"' for name in schema)
            self.connection.register("fresh_rows", pl.DataFrame(fresh, schema=schema, orient="row").to_arrow())
            self.connection.execute(f"INSERT INTO {LAKE}.ops.{name} ({columns}) SELECT {columns} FROM fresh_rows")
            self.connection.unregister("fresh_rows")


def _newest(path: str, rows: list[Row]) -> Place:
    row = max(rows, key=lambda row: (row["end_offset"] or -1, row["n_lines"] or -1))
    return Place(path, row["file_id"], row["size_bytes"], row["modified_ns"])
