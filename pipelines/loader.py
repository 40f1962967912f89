"""Files into the lake: what is known of them, what is new in them, what became of them."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from pipelines import lines, sources
from pipelines.catalog import Catalog, Relation
from pipelines.filebook import FileBook, Row
from pipelines.reading import Counts, Reading, cut_at_midnight, join_seen
from pipelines.records import Carry, Origin
from pipelines.staging import Staging
from pipelines.tables import create_tables, note_tables
from pipelines.warehouse import LAKE, Connection, transaction

SEEN = "seen"


@dataclass
class FileReport:
    """What became of one file, or of the part by which it had grown."""

    path: str
    state: str  # loaded, unchanged, failed, unknown or withdrawn
    source: str = ""
    reason: str = ""
    counts: Counts = field(default_factory=Counts)


@dataclass(frozen=True)
class Part:
    """A row of `ops.file`, as far as the next reading of that file needs it."""

    file_id: str
    sha256: str
    origin: str
    source: str
    source_version: int
    state: str
    reason: str
    size_bytes: int
    modified_ns: int
    end_offset: int
    end_line: int
    prefix_sha256: str
    carry: str

    def is_current(self, path: Path, origin: Origin) -> bool:
        """Nothing can have changed: the same file on disk, read by the same source with the same origin."""
        return self.is_same_on_disk(path) and (self.state == "withdrawn" or self.fits(self.source, origin))

    def is_same_on_disk(self, path: Path) -> bool:
        """Neither longer nor shorter nor written to since."""
        status = path.stat()
        return (self.size_bytes, self.modified_ns) == (status.st_size, status.st_mtime_ns)

    def fits(self, stem: str, origin: Origin) -> bool:
        """Loaded by the same source in its present version, with the same origin."""
        source = sources.all_sources().get(stem)
        wanted = ("loaded", stem, source.VERSION if source else None, origin_text(origin))
        return (self.state, self.source, self.source_version, self.origin) == wanted

    @property
    def has_whole_head(self) -> bool:
        """Its first lines are all that a source judges by; of a shorter file more lines may change what it is."""
        return bool(self.end_offset) and (self.end_line >= lines.HEAD_LINES or self.end_offset >= lines.HEAD_BYTES)

    def start(self) -> tuple[lines.Start, Carry]:
        return lines.Start(self.end_offset, self.end_line, self.prefix_sha256), json.loads(self.carry)


def origin_text(origin: Origin) -> str:
    """The part of a file's identity that site.toml gives: same text elsewhere means other rows."""
    values = {k: v for k, v in vars(origin).items() if k not in ("path", "head", "modified_at") and v not in (None, "")}
    return json.dumps(values, sort_keys=True, default=str)


class Loader:
    """Reads the files of one batch on a writing connection inside its transaction, and notes them in `ops.file`."""

    def __init__(
        self, connection: Connection, catalog: Catalog, staging: Staging, limits: lines.Limits | None = None
    ) -> None:
        self.connection = connection
        self.book = FileBook(connection, catalog)
        self.bronze = {relation.name: relation for relation in catalog.layer("bronze")}
        self.staging, self.limits = staging, limits
        self.n_files = 0

    def last_part(self, path: str) -> Part | None:
        """The newest part read from a path, if any."""
        return last_part(self.book, path)

    def known(self, sha256: str, origin: Origin, stem: str) -> Part | None:
        """A part with this content, origin and source, wherever it lay."""
        version = sources.all_sources()[stem].VERSION
        return _part(self.book.with_content(sha256, origin_text(origin), stem, version))

    def flush(self) -> None:
        """Put what was read of a batch into the lake, in the caller's transaction."""
        self.staging.flush()
        self.book.write_back()

    # --- one file -------------------------------------------------------------------------------------------

    def load(self, name: str, path: Path, stem: str, origin: Origin, last: Part | None) -> FileReport:
        """Read a file and stage its rows; goes on behind the known prefix of one that has grown."""
        is_snapshot = getattr(sources.all_sources()[stem], "IS_SNAPSHOT", False)
        fits = last is not None and last.fits(stem, origin)
        if last is not None and fits and last.has_whole_head and not is_snapshot:
            start, carry = last.start()
            try:
                return self._stage(name, Reading(path, stem, origin, start, carry, self.limits), last, [])
            except lines.PrefixChanged:
                pass  # rewritten in place: all of it is read again
        # every version of a log that is written anew at each poll stands for itself; of others the last one counts
        replaced = [] if fits and is_snapshot else self._parts_at(name)
        return self._stage(name, Reading(path, stem, origin, lines.Start(), None, self.limits), None, replaced)

    def _stage(self, name: str, reading: Reading, continues: Part | None, replaced: list[str]) -> FileReport:
        self.n_files += 1
        token = self.n_files
        seen: list[pl.DataFrame] = []
        for parsed in reading.chunks():
            for table, rows in parsed.tables.items():
                self.staging.add(table, rows, token)
            self.staging.add_rejects(parsed.rejects, token)
            seen.append(parsed.seen)
        # of a file that was refused the digest says little: it may be that of no bytes at all
        is_refused = reading.failure is not None and reading.failure.reason != "broken_archive"
        before = None if is_refused else self.known(reading.sha256, reading.origin, reading.stem)
        if before is not None:
            # what the file had beyond this content is gone from it
            keep = self.book.up_to(before.file_id)
            withdraw(self.book, self.bronze, [file_id for file_id in replaced if file_id not in keep])
            state = "withdrawn" if before.state == "withdrawn" else "unchanged"
            return FileReport(name, state, reading.stem, before.reason or "")
        report = self._judge(name, reading)
        joined = join_seen(seen)
        if report.state == "loaded":
            self.staging.add(SEEN, cut_at_midnight(joined).with_columns(source=pl.lit(reading.stem)), token)
        withdraw(self.book, self.bronze, replaced)
        if continues is not None:
            self._take_back_torn_line(continues)
        self._register(token, reading, report, continues, joined)
        return report

    def _judge(self, name: str, reading: Reading) -> FileReport:
        """A file that was refused half-way leaves no rows; of a damaged archive what could be read is kept."""
        report = FileReport(name, "loaded", reading.stem, counts=reading.counts)
        if reading.failure is not None:
            report.reason = f"{reading.failure.reason}: {reading.failure}"
            if reading.failure.reason != "broken_archive" or not reading.counts.n_lines:
                report.state, report.counts = "failed", Counts()
        return report

    def _parts_at(self, path: str) -> list[str]:
        return [row["file_id"] for row in self.book.at(path)]

    def note_failure(self, name: str, path: Path, state: str, reason: str) -> FileReport:
        """A file that could not even be opened as some source's: kept in `ops.file` with its reason."""
        size, modified_ns = _status(path)
        self.book.remove([row["file_id"] for row in self.book.at(name) if row["state"] in ("failed", "unknown")])
        self.book.add(
            {
                "file_id": _file_id(name, state, reason),
                "path": name,
                "state": state,
                "reason": reason,
                "size_bytes": size,
                "modified_ns": modified_ns,
            }
        )
        return FileReport(name, state, reason=reason)

    def _register(
        self, token: int, reading: Reading, report: FileReport, continues: Part | None, seen: pl.DataFrame
    ) -> None:
        status = reading.path.stat()
        version = sources.all_sources()[reading.stem].VERSION
        file_id = _file_id(reading.sha256, origin_text(reading.origin), f"{reading.stem} {version}")
        if report.state == "failed":
            file_id = _file_id(report.path, report.state, report.reason)
        if report.state == "loaded":
            self.staging.keep(token, file_id)
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
                "size_bytes": status.st_size,
                "modified_ns": status.st_mtime_ns,
                "from_offset": reading.start.offset,
                "end_offset": reading.resume.offset,
                "end_line": reading.resume.line_no,
                "prefix_sha256": reading.resume.sha256,
                "carry": json.dumps(reading.carry or {}),
                "continues": continues.file_id if continues else None,
                "first_at": seen["from_at"].min() if seen.height else None,
                "last_at": seen["to_at"].max() if seen.height else None,
                **vars(report.counts),
            }
        )

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


def last_part(book: FileBook, path: str) -> Part | None:
    """The newest part read from a path, if any."""
    row = max(book.at(path), key=lambda row: (row["end_offset"] or -1, row["n_lines"] or -1), default=None)
    return _part(row)


def _part(row: Row | None) -> Part | None:
    return Part(**{name: row[name] for name in Part.__dataclass_fields__}) if row else None


def _status(path: Path) -> tuple[int, int]:
    """Bytes and time of change of what may be no file, or a link to nothing."""
    try:
        status = path.lstat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def _file_id(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def withdraw(book: FileBook, bronze: dict[str, Relation], file_ids: list[str], keep_note: bool = False) -> None:
    """Take the rows of some parts out again and mark their days; with `keep_note` they are not read again either."""
    if not file_ids:
        return
    for name in _tables_of(book, bronze, file_ids):
        _take_out(book.connection, bronze[name], file_ids)
    ids = "(SELECT unnest(?::VARCHAR[]))"
    book.connection.execute(f"DELETE FROM {LAKE}.ops.reject WHERE file_id IN {ids}", [file_ids])
    if not keep_note:
        book.remove(file_ids)
        return
    for file_id in file_ids:
        book.change(file_id, state="withdrawn", reason="forgotten on request")


def _tables_of(book: FileBook, bronze: dict[str, Relation], file_ids: list[str]) -> list[str]:
    """The relations some parts filled: those of their sources, or all if a source has changed since."""
    names: set[str] = set()
    for file_id in file_ids:
        row = book.rows.get(file_id, {})
        source = sources.all_sources().get(row.get("source") or "")
        if row.get("state") in ("failed", "unknown"):
            continue
        if source is None or row.get("source_version") != source.VERSION:
            return sorted(bronze)
        names |= {*source.TABLES, SEEN}
    return sorted(names & set(bronze))


def _take_out(connection: Connection, relation: Relation, file_ids: list[str]) -> None:
    table, condition = f"{LAKE}.{relation.full_name}", "file_id IN (SELECT unnest(?::VARCHAR[]))"
    days = f"SELECT DISTINCT {'day' if relation.has_day else 'NULL'} FROM {table} WHERE {condition}"
    connection.execute(
        f"INSERT INTO {LAKE}.ops.dirty_day SELECT '{relation.full_name}', day FROM ({days}) AS t(day)", [file_ids]
    )
    connection.execute(f"DELETE FROM {table} WHERE {condition}", [file_ids])


def prepare_tables(connection: Connection, catalog: Catalog, will_build: bool = False) -> list[str]:
    """Make missing tables and those whose contract changed, and commit; returns the names of the latter.

    Where that emptied bronze, its files are read again; tables that SQL fills wait for a build.
    """
    with transaction(connection):
        changed = create_tables(connection, catalog, will_build)
        tables = {name.removeprefix("bronze.") for name in changed if name.startswith("bronze.")}
        for stem, source in sources.all_sources().items():
            if tables & {*source.TABLES, SEEN}:
                connection.execute(f"DELETE FROM {LAKE}.ops.file WHERE source = ?", [stem])
    note_tables(connection, catalog)
    return changed
