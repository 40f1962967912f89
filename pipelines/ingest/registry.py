"""What is known of files: `ops.file` and `ops.place` in memory while files are read, written back once a batch.

A statement a file would cost more with every file: each insert is a small file of its own in the lake, and each
question reads them all.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from pipelines.catalog.contracts import Catalog, Relation
from pipelines.catalog.sql_inspect import execute
from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.parse_file import Counts
from pipelines.ingest.parts import REFUSED, Part, Place, Row, Span, digest_of
from pipelines.ingest.reading import Reading
from pipelines.sources._shared.contract import TYPES
from pipelines.warehouse.connection import LAKE, Connection


@dataclass
class FileReport:
    """The result for one file, or for the part by which it had grown."""

    path: str
    state: str  # loaded, unchanged, failed, unknown or withdrawn
    source: str = ""
    reason: str = ""
    note: str = ""  # for a person, about a file that was read
    warning: str = ""  # of that, what may make its rows wrong
    counts: Counts = field(default_factory=Counts)


class FileRegistry:
    """Rows of `ops.file` by file_id, and places by path.

    Changes reach the lake with `write_back`, in the caller's transaction.
    """

    def __init__(self, connection: Connection, catalog: Catalog) -> None:
        self.connection = connection
        self.relations: dict[str, Relation] = {name: catalog.relations[f"ops.{name}"] for name in ("file", "place")}
        self.rows: dict[str, Row] = {}
        self._ids_at: dict[str, list[str]] = {}
        self._ids_of_content: dict[tuple[str, str], list[str]] = {}
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
        for path in self._ids_at.keys() - self.places.keys():  # as an older version left them
            self._put(_newest(path, self.by_path(path)))

    def _read(self, name: str, order: str = "") -> Iterable[Row]:
        names = self.relations[name].column_names
        columns = ", ".join(f'"{name}"' for name in names)
        found = self.connection.execute(f"SELECT {columns} FROM {LAKE}.ops.{name} {order}")
        return (dict(zip(names, values, strict=True)) for values in found.fetchall())

    def _index(self, row: Row) -> None:
        self.rows[row["file_id"]] = row
        self._ids_at.setdefault(row["path"], []).append(row["file_id"])
        self._ids_of_content.setdefault((row["sha256"], row["source"]), []).append(row["file_id"])
        if row["continues"] and row["state"] not in REFUSED:
            self.continued.setdefault(row["continues"], set()).add(row["file_id"])

    def _put(self, place: Place) -> None:
        if before := self.places.get(place.path):
            self.paths_of[before.file_id].discard(place.path)
        self.places[place.path] = place
        self.paths_of.setdefault(place.file_id, set()).add(place.path)

    # --- what is known ---------------------------------------------------------------------------------------

    def by_path(self, path: str) -> list[Row]:
        """The parts read from a path, now or before other content took their place."""
        return [self.rows[file_id] for file_id in self._ids_at.get(path, [])]

    def part(self, file_id: str) -> Part:
        """A part by its file_id."""
        row = self.rows[file_id]
        return Part(**{name: row[name] for name in Part.__dataclass_fields__})

    def part_at(self, path: str) -> Part | None:
        """The part with which the content of a path ended when it was last read, if ever."""
        place = self.places.get(path)
        return self.part(place.file_id) if place else None

    def with_content(self, sha256: str, source: str) -> list[Part]:
        """The parts of a source that end with this content, at any path; those refused are left out."""
        ids = self._ids_of_content.get((sha256, source), [])
        return [self.part(file_id) for file_id in ids if self.rows[file_id]["state"] not in REFUSED]

    def tips(self, file_ids: Iterable[str]) -> list[Part]:
        """Those of some parts that were not refused, and that none continues."""
        return [
            self.part(file_id)
            for file_id in file_ids
            if self.rows[file_id]["state"] not in REFUSED and not self.continued.get(file_id)
        ]

    def ancestors(self, file_id: str) -> list[str]:
        """A part's file_id and those of the parts it continues."""
        found: list[str] = []
        here: str | None = file_id
        while here in self.rows and here not in found:
            found.append(here)
            here = self.rows[here]["continues"]
        return found

    def lineage(self, file_id: str) -> list[str]:
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

    def register(
        self, file: IncomingFile, reading: Reading, report: FileReport, continues: Part | None, span: Span | None
    ) -> str:
        """A file, or the part by which it had grown, was read or refused half-way; returns its file_id."""
        is_loaded = report.state == "loaded"
        row = {
            "file_id": reading.file_id if is_loaded else digest_of(*_refusal(report)),
            "path": file.name,
            "sha256": reading.sha256,
            "origin": reading.origin,
            "source": file.source,
            "source_version": reading.version,
            "state": report.state,
            "reason": report.reason or None,
            "note": report.note or None,
            "size_bytes": file.size_bytes,
            "modified_ns": file.modified_ns,
            "from_offset": reading.start.offset,
            "end_offset": reading.resume.offset,
            "end_line": reading.resume.line_no,
            "prefix_sha256": reading.resume.sha256,
            "carry": json.dumps(reading.carry or {}),
            "continues": continues.file_id if continues and is_loaded else None,
            "first_at": span[0] if span else None,
            "last_at": span[1] if span else None,
            **vars(report.counts),
        }
        return self._add(row)

    def register_refusal(self, file: IncomingFile, report: FileReport) -> str:
        """A file could not even be opened as some source's; returns its file_id."""
        file_id = digest_of(*_refusal(report))
        row = {"file_id": file_id, "path": file.name, "state": report.state, "reason": report.reason}
        return self._add(row | {"size_bytes": file.size_bytes, "modified_ns": file.modified_ns})

    def _add(self, values: Row) -> str:
        """A new part, or the same again; columns that are not given are NULL."""
        row: Row = dict.fromkeys(self.relations["file"].column_names) | values
        file_id = str(row["file_id"])
        if row != self.rows.get(file_id):
            self.remove([file_id])
            self._index(row)
            self.fresh.add(file_id)
        return file_id

    def remove(self, file_ids: Iterable[str]) -> None:
        """Forget parts, and their places."""
        for file_id in file_ids:
            row = self.rows.pop(file_id, None)
            if row is None:
                continue
            self._ids_at[row["path"]].remove(file_id)
            self._ids_of_content[row["sha256"], row["source"]].remove(file_id)
            self.continued.get(row["continues"], set()).discard(file_id)
            for path in self.paths_of.pop(file_id, ()):
                del self.places[path]
                self.moved.add(path)
            self.stale.add(file_id)
            self.fresh.discard(file_id)

    def refused_at(self, path: str) -> list[str]:
        """The notes of what a path held and could not be read."""
        return [row["file_id"] for row in self.by_path(path) if row["state"] in REFUSED]

    def put(self, place: Place) -> None:
        """What a path holds now."""
        if self.places.get(place.path) != place:
            self._put(place)
            self.moved.add(place.path)

    def move(self, file_ids: Iterable[str], path: str) -> None:
        """Give parts that were read elsewhere this path."""
        for file_id in file_ids:
            row = self.rows[file_id]
            if row["path"] != path:
                self._ids_at[row["path"]].remove(file_id)
                self._ids_at.setdefault(path, []).append(file_id)
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
            execute(
                self.connection,
                f"DELETE FROM {LAKE}.ops.{name} WHERE {key} IN (SELECT unnest(?::VARCHAR[]))",
                [sorted(stale)],
            )
        if fresh:
            schema = {column.name: TYPES[column.type] for column in self.relations[name].columns}
            columns = ", ".join(f'"{name}"' for name in schema)
            self.connection.register("fresh_rows", pl.DataFrame(fresh, schema=schema, orient="row").lazy())
            self.connection.execute(f"INSERT INTO {LAKE}.ops.{name} ({columns}) SELECT {columns} FROM fresh_rows")
            self.connection.unregister("fresh_rows")


def _newest(path: str, rows: list[Row]) -> Place:
    row = max(rows, key=lambda row: (row["end_offset"] or -1, row["n_lines"] or -1))
    return Place(path, row["file_id"], row["size_bytes"], row["modified_ns"])


def _refusal(report: FileReport) -> tuple[str, str, str]:
    return report.path, report.state, report.reason
