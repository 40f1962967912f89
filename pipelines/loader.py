"""Files into the lake: what is known of them, what is new in them, what became of them."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from pipelines import lines, sources
from pipelines.catalog import Catalog, Relation
from pipelines.reading import Counts, Reading, cut_at_midnight, join_seen
from pipelines.records import Carry, Origin
from pipelines.staging import Staging
from pipelines.warehouse import LAKE, Connection, create_tables

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
        status = path.stat()
        if (self.size_bytes, self.modified_ns) != (status.st_size, status.st_mtime_ns):
            return False
        return self.state == "withdrawn" or self.fits(self.source, origin)

    def fits(self, stem: str, origin: Origin) -> bool:
        """Loaded by the same source in its present version, with the same origin."""
        source = sources.all_sources().get(stem)
        wanted = ("loaded", stem, source.VERSION if source else None, origin_text(origin))
        return (self.state, self.source, self.source_version, self.origin) == wanted

    def start(self) -> tuple[lines.Start, Carry]:
        return lines.Start(self.end_offset, self.end_line, self.prefix_sha256), json.loads(self.carry)


_PART_COLUMNS = ", ".join(Part.__dataclass_fields__)


def origin_text(origin: Origin) -> str:
    """The part of a file's identity that site.toml gives: same text elsewhere means other rows."""
    values = {k: v for k, v in vars(origin).items() if k not in ("path", "head") and v not in (None, "")}
    return json.dumps(values, sort_keys=True, default=str)


class Loader:
    """Reads the files of one batch on a writing connection inside its transaction, and notes them in `ops.file`."""

    def __init__(self, connection: Connection, catalog: Catalog, staging: Staging) -> None:
        self.connection = connection
        self.bronze = {relation.name: relation for relation in catalog.layer("bronze")}
        self.staging = staging
        self.n_files = 0

    def last_part(self, path: str) -> Part | None:
        """The newest part read from a path, if any."""
        return self._part("path = ? ORDER BY end_offset DESC, n_lines DESC", [path])

    def known(self, sha256: str, origin: Origin, stem: str) -> Part | None:
        """A part with this content, origin and source, wherever it lay."""
        version = sources.all_sources()[stem].VERSION
        condition = "sha256 = ? AND origin = ? AND source = ? AND source_version = ?"
        return self._part(condition, [sha256, origin_text(origin), stem, version])

    def _part(self, condition: str, values: list[Any]) -> Part | None:
        sql = f"SELECT {_PART_COLUMNS} FROM {LAKE}.ops.file WHERE {condition} LIMIT 1"
        row = self.connection.execute(sql, values).fetchone()
        return Part(*row) if row else None

    # --- one file -------------------------------------------------------------------------------------------

    def load(self, name: str, path: Path, stem: str, origin: Origin, last: Part | None) -> FileReport:
        """Read a file and stage its rows; goes on behind the known prefix of one that has grown."""
        is_snapshot = getattr(sources.all_sources()[stem], "IS_SNAPSHOT", False)
        fits = last is not None and last.fits(stem, origin)
        if last is not None and fits and last.end_offset and not is_snapshot:
            start, carry = last.start()
            try:
                return self._stage(name, Reading(path, stem, origin, start, carry), last, [])
            except lines.PrefixChanged:
                pass  # rewritten in place: all of it is read again
        # every version of a log that is written anew at each poll stands for itself; of others the last one counts
        replaced = [] if fits and is_snapshot else self._parts_at(name)
        return self._stage(name, Reading(path, stem, origin, lines.Start(), None), None, replaced)

    def _stage(self, name: str, reading: Reading, continues: Part | None, replaced: list[str]) -> FileReport:
        self.n_files += 1
        token = self.n_files
        seen: list[pl.DataFrame] = []
        for parsed in reading.chunks():
            for table, rows in parsed.tables.items():
                self.staging.add(table, rows, token)
            self.staging.add_rejects(parsed.rejects, token)
            seen.append(parsed.seen)
        before = self.known(reading.sha256, reading.origin, reading.stem)
        if before is not None:
            keep = chain(self.connection, before.file_id)
            withdraw(self.connection, self.bronze, [file_id for file_id in replaced if file_id not in keep])
            state = "withdrawn" if before.state == "withdrawn" else "unchanged"
            return FileReport(name, state, reading.stem, before.reason or "")
        report = self._judge(name, reading)
        joined = join_seen(seen)
        if report.state == "loaded":
            self.staging.add(SEEN, cut_at_midnight(joined).with_columns(source=pl.lit(reading.stem)), token)
        withdraw(self.connection, self.bronze, replaced)
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
        rows = self.connection.execute(f"SELECT file_id FROM {LAKE}.ops.file WHERE path = ?", [path]).fetchall()
        return [row[0] for row in rows]

    def note_failure(self, name: str, path: Path, state: str, reason: str) -> FileReport:
        """A file that could not even be opened as some source's: kept in `ops.file` with its reason."""
        status = path.stat()
        self.connection.execute(
            f"DELETE FROM {LAKE}.ops.file WHERE path = ? AND state IN ('failed', 'unknown')", [name]
        )
        self._insert_file(
            {
                "file_id": _file_id(name, state, reason),
                "path": name,
                "state": state,
                "reason": reason,
                "size_bytes": status.st_size,
                "modified_ns": status.st_mtime_ns,
            }
        )
        return FileReport(name, state, reason=reason)

    def _register(
        self, token: int, reading: Reading, report: FileReport, continues: Part | None, seen: pl.DataFrame
    ) -> None:
        status = reading.path.stat()
        version = sources.all_sources()[reading.stem].VERSION
        file_id = _file_id(reading.sha256, origin_text(reading.origin), f"{reading.stem} {version}")
        if report.state == "loaded":
            self.staging.keep(token, file_id)
        self._insert_file(
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

    def _insert_file(self, values: dict[str, Any]) -> None:
        names = ", ".join(values)
        marks = ", ".join("?" * len(values))
        self.connection.execute(f"INSERT INTO {LAKE}.ops.file ({names}) VALUES ({marks})", list(values.values()))

    def _take_back_torn_line(self, part: Part) -> None:
        """The torn last line of the part before is whole now, and counts where it was read whole."""
        found = self.connection.execute(
            f"DELETE FROM {LAKE}.ops.reject WHERE file_id = ? AND reason = 'torn'", [part.file_id]
        ).fetchone()
        if found and found[0]:
            self.connection.execute(
                f"UPDATE {LAKE}.ops.file SET n_lines = n_lines - 1, n_rejected = n_rejected - 1 WHERE file_id = ?",
                [part.file_id],
            )


def _file_id(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def chain(connection: Connection, file_id: str) -> list[str]:
    """A part's file_id and those of all parts before and after it."""
    rows = connection.execute(
        f"""WITH RECURSIVE
        back AS (SELECT file_id, continues FROM {LAKE}.ops.file WHERE file_id = $id
                 UNION SELECT f.file_id, f.continues FROM {LAKE}.ops.file f JOIN back ON f.file_id = back.continues),
        forth AS (SELECT file_id FROM back
                  UNION SELECT f.file_id FROM {LAKE}.ops.file f JOIN forth ON f.continues = forth.file_id)
        SELECT DISTINCT file_id FROM forth""",
        {"id": file_id},
    ).fetchall()
    return sorted(row[0] for row in rows)


def withdraw(connection: Connection, bronze: dict[str, Relation], file_ids: list[str], keep_note: bool = False) -> None:
    """Take the rows of some parts out again and mark their days; with `keep_note` they are not read again either."""
    if not file_ids:
        return
    marks = ", ".join("?" * len(file_ids))
    for relation in bronze.values():
        condition = f"file_id IN ({marks})"
        table = f"{LAKE}.{relation.full_name}"
        days = f"SELECT DISTINCT day FROM {table} WHERE {condition}"
        connection.execute(
            f"INSERT INTO {LAKE}.ops.dirty_day SELECT '{relation.full_name}', day FROM ({days}) AS t(day)", file_ids
        )
        connection.execute(f"DELETE FROM {table} WHERE {condition}", file_ids)
    connection.execute(f"DELETE FROM {LAKE}.ops.reject WHERE file_id IN ({marks})", file_ids)
    if keep_note:
        connection.execute(
            f"UPDATE {LAKE}.ops.file SET state = 'withdrawn', reason = 'forgotten on request'"
            f" WHERE file_id IN ({marks})",
            file_ids,
        )
    else:
        connection.execute(f"DELETE FROM {LAKE}.ops.file WHERE file_id IN ({marks})", file_ids)


def prepare_tables(connection: Connection, catalog: Catalog) -> list[str]:
    """Make missing tables and those whose contract changed; where that emptied bronze, its files are read again."""
    changed = create_tables(connection, catalog)
    tables = {name.removeprefix("bronze.") for name in changed if name.startswith("bronze.")}
    for stem, source in sources.all_sources().items():
        if tables & {*source.TABLES, SEEN}:
            connection.execute(f"DELETE FROM {LAKE}.ops.file WHERE source = ?", [stem])
    return changed
