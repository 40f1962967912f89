"""Files into the lake: what is known of them, what is new in them, what became of them."""

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from pipelines import sources
from pipelines.catalog.contracts import Catalog
from pipelines.ingest.parse_file import Counts, Reading, cut_at_midnight, join_seen
from pipelines.ingest.registry import FileBook, Part, Span, origin_text
from pipelines.ingest.staging import Staging
from pipelines.ingest.succession import Incoming, Succession, joined
from pipelines.ingest.withdrawal import SEEN
from pipelines.sources import blocks
from pipelines.warehouse.connection import LAKE, Connection, transaction
from pipelines.warehouse.tables import create_tables, note_tables

BY_CHANCE = 20  # so many records of two days may be the same, of a log that is nearly empty
_FOUND = {"loaded": "unchanged", "withdrawn": "withdrawn"}


@dataclass
class FileReport:
    """What became of one file, or of the part by which it had grown."""

    path: str
    state: str  # loaded, unchanged, failed, unknown or withdrawn
    source: str = ""
    reason: str = ""
    note: str = ""  # what a person should know of a file that was read
    warning: str = ""  # of that, what may make its rows wrong
    counts: Counts = field(default_factory=Counts)


class Loader:
    """Reads the files of one batch on a writing connection inside its transaction, and notes them in `ops.file`.

    What becomes of the rows that were read at a path before: see `succession`.
    """

    def __init__(
        self,
        connection: Connection,
        catalog: Catalog,
        staging: Staging,
        root: Path = Path(),
        limits: blocks.Limits | None = None,
    ) -> None:
        self.connection = connection
        self.book = FileBook(connection, catalog)
        bronze = {relation.name: relation for relation in catalog.layer("bronze")}
        self.succession = Succession(self.book, bronze, lambda path: _status(root / path))
        self.staging, self.limits = staging, limits
        self.n_files = 0

    def flush(self) -> None:
        """Put what was read of a batch into the lake, in the caller's transaction."""
        self.staging.flush()
        self.book.write_back()

    # --- one file -------------------------------------------------------------------------------------------

    def load(self, file: Incoming) -> FileReport:
        """Read a file and stage its rows; goes on behind the known beginning of one that has grown."""
        here = self.book.part_at(file.name)
        if here is not None and file.goes_on(here):
            with suppress(blocks.PrefixChanged):
                return self._stage(file, here, [])
        known = self.succession.beginnings(file)
        for part in filter(file.goes_on, known):
            with suppress(blocks.PrefixChanged):
                return self._stage(file, part, [other for other in known if other != part])
        return self._stage(file, None, known)

    def _stage(self, file: Incoming, continues: Part | None, replaced: list[Part]) -> FileReport:
        start, carry = continues.start() if continues else (blocks.Start(), None)
        reading = Reading(file.path, file.stem, file.origin, start, carry, self.limits)
        self.n_files += 1
        token = self.n_files
        seen: list[pl.DataFrame] = []
        for parsed in reading.chunks():
            for table, rows in parsed.tables.items():
                self.staging.add(table, rows, token)
            self.staging.add_rejects(parsed.rejects, token)
            seen.append(parsed.coverage)
        same = [] if reading.is_refused else self.book.with_content(reading.sha256, file.stem)
        if before := next((part for part in same if part.is_read_as(file.stem, file.origin)), None):
            self.succession.find_again(file, before)
            return FileReport(file.name, _FOUND[before.state], file.stem, before.reason or "")
        stays = self.book.up_to(continues.file_id) if continues else []
        report, written = self._judge(file, reading, same), join_seen(seen)
        if report.state == "loaded":
            self.staging.add(SEEN, cut_at_midnight(written).with_columns(source=pl.lit(reading.stem)), token)
            replaced = [*replaced, *self.succession.read_otherwise(file, same)]
            if report.counts.n_records:
                span, hosts = joined([self.succession.span(stays), _span(written)]), set(written["host"])
                known = [*replaced, *([continues] if continues else [])]
                replaced += self.succession.written_again(file, span, hosts, known)
        self.succession.replace(file, replaced, stays)
        if continues is not None and report.state == "loaded":
            self._take_back_torn_line(continues)
            self.book.move(stays, file.name)
        self._register(token, file, reading, report, continues, _span(written))
        return report

    def _judge(self, file: Incoming, reading: Reading, same: list[Part]) -> FileReport:
        """A file that was refused half-way leaves no rows; of a damaged archive what could be read is kept."""
        report, failure, counts = FileReport(file.name, "loaded", reading.stem), reading.failure, reading.counts
        if failure is not None:
            report.reason = f"{failure.reason}: {failure}"
        if reading.is_refused or (failure is not None and not counts.n_lines):
            report.state = "failed"
        elif counts.n_records >= BY_CHANCE and (twin := self.succession.of_another_date(file, same)):
            report.state = "failed"
            report.reason = (
                f"other_date: it holds the very lines of {twin.path}, which is read as of {twin.date};"
                " one of the two has a wrong date: remove it"
            )
        else:
            report.counts, report.note, report.warning = counts, reading.note, reading.warning
        return report

    def note_failure(self, name: str, state: str, reason: str, status: os.stat_result | None) -> FileReport:
        """A file that could not even be opened as some source's: kept in `ops.file` with its reason."""
        file_id = _file_id(name, state, reason)
        size, modified_ns = (status.st_size, status.st_mtime_ns) if status else (0, 0)
        row = {"path": name, "state": state, "reason": reason, "size_bytes": size, "modified_ns": modified_ns}
        self.book.add(row | {"file_id": file_id})
        self.book.remove(one for one in self.book.refused_at(name) if one != file_id)
        self.succession.put_status(name, file_id, status)
        return FileReport(name, state, reason=reason)

    def _register(
        self,
        token: int,
        file: Incoming,
        reading: Reading,
        report: FileReport,
        continues: Part | None,
        span: Span | None,
    ) -> None:
        version = sources.all_sources()[reading.stem].VERSION
        is_loaded = report.state == "loaded"
        if is_loaded:
            file_id = _file_id(reading.sha256, origin_text(reading.origin), f"{reading.stem} {version}")
            self.staging.keep(token, file_id)
        else:
            file_id = _file_id(report.path, report.state, report.reason)
        self.book.add(
            {
                "file_id": file_id,
                "path": report.path,
                "sha256": reading.sha256,
                "origin": origin_text(reading.origin),
                "source": reading.stem,
                "source_version": version,
                "state": report.state,
                "reason": report.reason or None,
                "note": report.note or None,
                "size_bytes": file.status.st_size,
                "modified_ns": file.status.st_mtime_ns,
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
        )
        self.succession.put(file, file_id)

    def _take_back_torn_line(self, part: Part) -> None:
        """The torn last line of the part before is whole now, and counts where it was read whole."""
        row = self.book.rows.get(part.file_id)
        if row is None or not row["n_rejected"]:
            return
        found = self.connection.execute(
            f"DELETE FROM {LAKE}.ops.reject WHERE file_id = ? AND reason = 'torn'", [part.file_id]
        ).fetchone()
        if found and found[0]:
            self.book.change(part.file_id, n_lines=row["n_lines"] - 1, n_rejected=row["n_rejected"] - 1)


def _span(seen: pl.DataFrame) -> Span | None:
    return (seen["from_at"].min(), seen["to_at"].max()) if seen.height else None  # type: ignore[return-value]


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except (OSError, ValueError):
        return None


def _file_id(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def prepare_tables(connection: Connection, catalog: Catalog, will_build: bool = False) -> list[str]:
    """Make missing tables and those whose contract changed, and commit; returns the names of the latter.

    Of bronze, the files are read again where they still lie; tables that SQL fills wait for a build.
    """
    with transaction(connection):
        changed = create_tables(connection, catalog, will_build)
        tables = {name.removeprefix("bronze.") for name in changed if name.startswith("bronze.")}
        for stem, source in sources.all_sources().items():
            if tables & {*source.TABLES, SEEN}:
                connection.execute(
                    f"UPDATE {LAKE}.ops.file SET source_version = NULL WHERE source = ? AND state = 'loaded'", [stem]
                )
    note_tables(connection, catalog)
    return changed
