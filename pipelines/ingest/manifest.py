"""What a process without a lock has read, kept below the data path until the writer takes it: on this host or any.

A manifest names some files in the state in which they were read, and the places of their rows. Final files and those to
be inserted are Parquet (`staged_files`); rows of small logs share one file a relation. How long it waits: `manifests`.

Of its files the writer takes those whose state is still the same: read by the present version of the source, with the
origin that site.toml gives, and with nothing read at their path meanwhile. The others are read by the next process that
looks.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from datetime import date
from pathlib import Path

import polars as pl

from pipelines.catalog.sql_inspect import execute, quote
from pipelines.config.files import Named
from pipelines.config.site import Site
from pipelines.ingest.identify import Identified, IncomingFile
from pipelines.ingest.load import Early
from pipelines.ingest.parse_file import Counts
from pipelines.ingest.parts import Place, origin_text
from pipelines.ingest.reading import Reading
from pipelines.ingest.registry import FileRegistry
from pipelines.ingest.rows import Setup
from pipelines.sources import blocks, source_of
from pipelines.sources.protocol import COVERAGE, source_names
from pipelines.warehouse import manifests, ownership
from pipelines.warehouse.connection import Connection
from pipelines.warehouse.manifests import Entry, Waiting
from pipelines.warehouse.staged_files import Stage, StagedFile

HELD_BYTES = 16 * 2**20  # of rows that a manifest shares
MOST_FILES = 200
_KIND = "manifest"


class Leaving:
    """Collects readings and writes a manifest of some of them, now and then and at the end."""

    def __init__(self, setup: Setup, connection: Connection) -> None:
        self.setup, self.connection = setup, connection
        self.n_manifests = 0
        self._begin()

    def _begin(self) -> None:
        self.stage = Stage(self.setup.place, self.connection)
        self.entries: list[Entry] = []
        self.held: dict[str, list[pl.DataFrame]] = {}
        self.held_bytes = 0

    def add(self, file: IncomingFile, continues: str, place: Place | None, reading: Reading | None) -> None:
        """A file, after which part it was read, and what was known of its path; no reading of one that is refused."""
        if reading is not None and not any(entry["file_id"] == reading.file_id for entry in self.entries):
            for name, rows in reading.held.items():
                self.held.setdefault(name, []).append(rows.with_columns(file_id=pl.lit(reading.file_id, pl.String)))
                self.held_bytes += int(rows.estimated_size())
        self.entries.append(
            {
                "name": file.name,
                "size_bytes": file.size_bytes,
                "modified_ns": file.modified_ns,
                "found": [file.found.source, file.found.why, file.found.reason],
                "continues": continues,
                "place": [place.file_id, place.size_bytes, place.modified_ns] if place else None,
                "file_id": reading.file_id if reading else "",
                "reading": _plain(reading) if reading else None,
            }
        )
        if len(self.entries) >= MOST_FILES or self.held_bytes >= HELD_BYTES:
            self.write()

    def write(self) -> None:
        """Put down what was collected."""
        if not self.entries:
            return
        rest = [self.stage.write_rest(self.setup.relations[name], pl.concat(rows)) for name, rows in self.held.items()]
        head = {"rest": [file.as_list() for file in rest]}
        manifests.leave(self.connection, self.stage, _KIND, head, self.entries)
        self.n_manifests += 1
        self._begin()


class Manifest:
    """One that waits: rows that its files share, and its files."""

    def __init__(self, waiting: Waiting) -> None:
        self._waiting = waiting
        self.entries = waiting.entries
        self.rest = [StagedFile.from_list(file) for file in waiting.head["rest"]]

    def take(
        self, site: Site, named: Mapping[str, Named], registry: FileRegistry, connection: Connection
    ) -> Iterator[tuple[IncomingFile, Early | None]]:
        """Those of its files that are what they were, in turn, each before the next one is looked at."""
        held: dict[str, dict[str, pl.DataFrame]] | None = None
        for entry in self.entries:
            if (file := _recalled(site, named, registry, entry)) is None:
                continue
            if entry["reading"] is None:
                yield file, None
                continue
            if held is None:
                held = self._held(connection)
            reading = _reading(entry)
            if not _is_registered(connection, reading):
                reading.held = held.pop(reading.file_id, {})
                yield file, Early(entry["continues"], reading)

    def _held(self, connection: Connection) -> dict[str, dict[str, pl.DataFrame]]:
        """The rows that files share, by file_id and relation."""
        found: dict[str, dict[str, pl.DataFrame]] = {}
        for file in self.rest:
            rows = connection.execute(f"FROM read_parquet({quote(file.path)}, hive_partitioning = false)").pl()
            for (file_id,), own in rows.partition_by("file_id", include_key=False, as_dict=True).items():
                found.setdefault(str(file_id), {})[file.relation] = own
        return found

    def remove(self, connection: Connection) -> None:
        """It was taken, and that is committed."""
        self._waiting.remove(connection, self.rest)


def waiting(connection: Connection, data_path: str) -> list[Manifest]:
    """The manifests below a data path that may be taken, the oldest first."""
    return [Manifest(one) for one in manifests.waiting(connection, data_path, _KIND)]


def _recalled(site: Site, named: Mapping[str, Named], registry: FileRegistry, entry: Entry) -> IncomingFile | None:
    """The file in the state in which it was read; None if that is no longer of use."""
    if entry["name"] not in named:
        return None
    place = registry.places.get(entry["name"])
    if (list(vars(place).values())[1:] if place else None) != entry["place"]:
        return None
    size, modified_ns = entry["size_bytes"], entry["modified_ns"]
    file = IncomingFile(site, *named[entry["name"]])
    times = {"st_mtime_ns": modified_ns}
    file.status = os.stat_result((stat.S_IFREG, 0, 0, 0, 0, 0, size, 0, modified_ns // 10**9, 0), times)
    file.found = Identified(*entry["found"])
    if (reading := entry["reading"]) is None:
        return file
    is_known = file.source in source_names() and reading["version"] == source_of(file.source).VERSION
    return file if is_known and origin_text(file.origin, file.source) == reading["origin"] else None


def _is_registered(connection: Connection, reading: Reading) -> bool:
    """Whether a table has, or had, a final file of a reading: whoever took it was killed before the manifest went."""
    names = [Path(file.path).name for file in reading.files if file.is_final]
    if not names:
        return False
    row = execute(
        connection,
        f"SELECT count(*) FROM (SELECT path FROM {ownership.BOOK}.ducklake_data_file UNION ALL"
        f" SELECT path FROM {ownership.BOOK}.ducklake_files_scheduled_for_deletion)"
        " WHERE list_contains(?::VARCHAR[], parse_filename(path))",
        [names],
    ).fetchone()
    return bool(row and row[0])


def _plain(reading: Reading) -> Entry:
    names = ("origin", "version", "sha256", "file_id", "carry", "failure", "is_refused", "note", "warning")
    return {name: getattr(reading, name) for name in names} | {
        "start": asdict(reading.start),
        "resume": asdict(reading.resume),
        "counts": asdict(reading.counts),
        "written": reading.written.with_columns(pl.col("from_at", "to_at").to_physical()).rows(),
        "days": {name: [day and day.isoformat() for day in days] for name, days in reading.days.items()},
        "files": [file.as_list() for file in reading.files],
    }


def _reading(entry: Entry) -> Reading:
    values = dict(entry["reading"])
    days = {name: {date.fromisoformat(day) if day else None for day in days} for name, days in values["days"].items()}
    physical = {name: pl.Int64 if kind == pl.Datetime("us") else kind for name, kind in COVERAGE.items()}
    return Reading(
        **values
        | {
            "start": blocks.Start(**values["start"]),
            "resume": blocks.Start(**values["resume"]),
            "counts": Counts(**values["counts"]),
            "written": pl.DataFrame(values["written"], schema=physical, orient="row").cast(COVERAGE),
            "days": days,
            "files": [StagedFile.from_list(file) for file in values["files"]],
        }
    )
