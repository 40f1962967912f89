"""Parsed rows into the lake: staged in memory, kept or dropped file by file, inserted once a batch."""

import hashlib
import json
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from pipelines import lines, sources
from pipelines.catalog import Catalog, Relation
from pipelines.reading import Counts, Reading, cut_at_midnight, join_seen
from pipelines.records import Carry, Origin, Parsed
from pipelines.statement import quote
from pipelines.warehouse import LAKE, Connection, create_tables

REJECT_CHARS = 300
SEEN = "seen"
REJECT = "_reject"
HELD_BYTES = 16 * 2**20  # of rows; the blocks of text that these point into stay as well
_STAGE = "stage-"


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
    """Stages the files of one batch on a writing connection inside its transaction."""

    def __init__(self, connection: Connection, catalog: Catalog) -> None:
        self.connection = connection
        self.bronze = {relation.name: relation for relation in catalog.layer("bronze")}
        self.n_files = 0
        self.kept: list[tuple[int, str]] = []  # token and file_id: rows of other tokens are never inserted
        self.held: dict[str, list[pl.DataFrame]] = {}  # rows by table
        self.held_bytes = 0
        self.files: dict[str, list[Path]] = {}
        spill = connection.execute("SELECT current_setting('temp_directory')").fetchone()
        self.folder = _fresh_folder(Path(spill[0]) if spill and spill[0] else None)

    def close(self) -> None:
        """Remove the staged rows; those not flushed are lost, as their transaction is."""
        self.folder.cleanup()

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
                self._stage_rows(table, rows, token)
            self._stage_rejects(parsed, token)
            seen.append(parsed.seen)
        before = self.known(reading.sha256, reading.origin, reading.stem)
        if before is not None:
            keep = chain(self.connection, before.file_id)
            withdraw(self.connection, self.bronze, [file_id for file_id in replaced if file_id not in keep])
            state = "withdrawn" if before.state == "withdrawn" else "unchanged"
            return FileReport(name, state, reading.stem, before.reason or "")
        report = self._judge(name, reading, token)
        joined = join_seen(seen)
        if report.state == "loaded":
            self._stage_rows(SEEN, cut_at_midnight(joined).with_columns(source=pl.lit(reading.stem)), token)
        withdraw(self.connection, self.bronze, replaced)
        if continues is not None:
            self._take_back_torn_line(continues)
        self._register(token, reading, report, continues, joined)
        return report

    def _judge(self, name: str, reading: Reading, token: int) -> FileReport:
        """A file that was refused half-way leaves no rows; of a damaged archive what could be read is kept."""
        report = FileReport(name, "loaded", reading.stem, counts=reading.counts)
        if reading.failure is not None:
            report.reason = f"{reading.failure.reason}: {reading.failure}"
            if reading.failure.reason != "broken_archive":
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

    # --- staging --------------------------------------------------------------------------------------------

    def _stage_rows(self, table: str, rows: pl.DataFrame, token: int) -> None:
        names = [name for name in self.bronze[table].column_names if name not in ("file_id", "day")]
        self._hold(table, rows.select(names), token)

    def _stage_rejects(self, parsed: Parsed, token: int) -> None:
        self._hold(REJECT, parsed.rejects.select("line_no", "reason", pl.col("text").str.head(REJECT_CHARS)), token)

    def _hold(self, table: str, rows: pl.DataFrame, token: int) -> None:
        if rows.height:
            held = rows.with_columns(token=pl.lit(token, pl.Int32))
            self.held.setdefault(table, []).append(held)
            self.held_bytes += int(held.estimated_size())
        if self.held_bytes > HELD_BYTES:
            self._put_down()

    def _put_down(self) -> None:
        """Held rows into Parquet files, so that memory stays the same however large a file or a batch is.

        Not into temporary tables: what a transaction has put there cannot leave the memory before it ends. Sorted by
        day here, so that a batch touches few files; to sort all of it in the end would cost more than to read it.
        """
        for table, frames in self.held.items():
            file = Path(self.folder.name) / f"{table}-{len(self.files.setdefault(table, []))}.parquet"
            rows = pl.concat(frames)
            if table != REJECT:
                rows = rows.sort(pl.col(self.bronze[table].day_of).dt.date(), maintain_order=True)
            rows.write_parquet(file, compression="lz4", statistics=False)
            self.files[table].append(file)
        self.held.clear()
        self.held_bytes = 0

    def flush(self) -> None:
        """Insert what was kept, and mark its days."""
        self._put_down()
        kept = pl.DataFrame(self.kept, schema={"token": pl.Int32, "file_id": pl.String}, orient="row")
        self.connection.register("staged_file", kept.to_arrow())
        for name, files in sorted(self.files.items()):
            names = ", ".join(quote(str(file)) for file in files)
            source = f"read_parquet([{names}]) s JOIN staged_file f USING (token)"
            if name == REJECT:
                self.connection.execute(
                    f"INSERT INTO {LAKE}.ops.reject SELECT f.file_id, s.line_no, s.reason, s.text FROM {source}"
                )
                continue
            relation = self.bronze[name]
            day = f"CAST({relation.day_of} AS DATE)"
            columns = ", ".join(
                {"file_id": "f.file_id", "day": day}.get(column, f's."{column}"') for column in relation.column_names
            )
            self.connection.execute(f"INSERT INTO {LAKE}.bronze.{name} SELECT {columns} FROM {source}")
            mark_dirty(self.connection, relation.full_name, f"SELECT DISTINCT {day} FROM {source}")
        self.connection.unregister("staged_file")
        for file in (file for files in self.files.values() for file in files):
            file.unlink()
        self.files.clear()
        self.kept.clear()

    def _register(
        self, token: int, reading: Reading, report: FileReport, continues: Part | None, seen: pl.DataFrame
    ) -> None:
        status = reading.path.stat()
        version = sources.all_sources()[reading.stem].VERSION
        file_id = _file_id(reading.sha256, origin_text(reading.origin), f"{reading.stem} {version}")
        if report.state == "loaded":
            self.kept.append((token, file_id))
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


def _fresh_folder(spill: Path | None) -> "tempfile.TemporaryDirectory[str]":
    """A folder for staged rows; those of writers that were killed go, as only one writes at a time."""
    if spill is not None:
        spill.mkdir(parents=True, exist_ok=True)
        for left in spill.glob(f"{_STAGE}*"):
            shutil.rmtree(left, ignore_errors=True)
    return tempfile.TemporaryDirectory(prefix=_STAGE, dir=spill)


def mark_dirty(connection: Connection, relation: str, days_sql: str) -> None:
    """Note the days of a bronze relation that the next build must make again."""
    connection.execute(f"INSERT INTO {LAKE}.ops.dirty_day SELECT '{relation}', day FROM ({days_sql}) AS t(day)")


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
