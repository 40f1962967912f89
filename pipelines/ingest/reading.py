"""One file read by one process, which holds no lock: its rows put down where the writer finds them, and what they are.

The identity of a large file is taken before its first row is put down, by a pass that only hashes (2 GB/s; of a packed
file it is unpacked once more). Then exactly those bytes are parsed, however the log grows meanwhile; where they are no
longer those, the file is read once more.
"""

from collections import Counter
from dataclasses import dataclass, field
from datetime import date

import polars as pl

from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.parse_file import Counts, FileParse, cut_at_midnight
from pipelines.ingest.parts import file_id_of, origin_text
from pipelines.ingest.rows import RowSink, Setup
from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import blocks, packing, source_of
from pipelines.sources._shared import coverage
from pipelines.sources.protocol import Carry
from pipelines.warehouse import staged_files
from pipelines.warehouse.connection import Connection
from pipelines.warehouse.staged_files import Stage, StagedFile
from pipelines.warehouse.tables import LOG_COVERAGE

_TRIES = 3
_LARGE_BYTES = blocks.BLOCK_BYTES  # not yet read of a plain file
_LARGE_PACKED = blocks.BLOCK_BYTES // 8
_NO_END = float("inf")


@dataclass
class Reading:
    """What one pass found: all that is to be known of a file, or of the part by which it had grown.

    Rows are in `files`, and in `held` where they are few; `written` has the intervals in which the log was written.
    """

    origin: str
    version: int  # of the source
    start: blocks.Start
    resume: blocks.Start
    sha256: str
    file_id: str  # of a part that is loaded
    carry: Carry
    counts: Counts
    failure: str = ""  # why it stopped early, if it did
    is_refused: bool = False
    note: str = ""
    warning: str = ""
    notes: Counter[str] = field(default_factory=Counter)  # those that `note` and `warning` are made of
    written: pl.DataFrame = field(default_factory=lambda: coverage.joined([]))
    days: dict[str, set[date | None]] = field(default_factory=dict)
    files: list[StagedFile] = field(default_factory=list)
    held: dict[str, pl.DataFrame] = field(default_factory=dict)

    def discard(self) -> None:
        """Its rows are of no use; those that were put down go."""
        staged_files.remove(self.files)
        self.files, self.held, self.days = [], {}, {}


class _Changed(Exception):
    """What was parsed is not what was hashed."""


class Reader:
    """Reads one file after another; `connection` writes to object storage, where the lake's data are there."""

    def __init__(self, setup: Setup, connection: Connection | None = None) -> None:
        self.setup, self.stage = setup, Stage(setup.place, connection, setup.aside)

    def read(self, file: IncomingFile, start: blocks.Start, carry: Carry | None) -> Reading | None:
        """The file from a place on; None where the part before it is not what it was."""
        must_scan = _is_large(file, start)
        for _ in range(_TRIES):
            identity = _Identity(file)
            if must_scan:
                identity.scan()
            try:
                return self._read(file, start, carry, identity)
            except _Changed:
                must_scan = True
            except blocks.PrefixChanged:
                return None
        return None if start.offset else self._refused(file, start)

    def read_piece(
        self, file: IncomingFile, start: blocks.Start, carry: Carry | None, end: blocks.Start, file_sha256: str
    ) -> Reading | None:
        """The lines up to a cut, without the file's coverage; None where the file is not what it was, or is refused."""
        try:
            found = self._read(file, start, carry, _Identity(file, file_sha256, end))
        except (_Changed, blocks.PrefixChanged):
            return None
        if found.failure:
            found.discard()
            return None
        return found

    def _read(self, file: IncomingFile, start: blocks.Start, carry: Carry | None, identity: "_Identity") -> Reading:
        parse = FileParse(file, start, carry, identity.until)
        sink = RowSink(self.setup, self.stage, identity.file_id)
        try:
            written = self._parse(parse, sink)
            identity.check(parse)
            if parse.is_refused:
                return _reading(parse, identity, sink, written)
            if not identity.end:  # the coverage of pieces is joined first
                sink.add(LOG_COVERAGE, cut_at_midnight(written).with_columns(source=pl.lit(file.source)))
            sink.close()
            return _reading(parse, identity, sink, written)
        except BaseException:
            staged_files.remove(sink.files)
            raise

    def _parse(self, parse: FileParse, sink: RowSink) -> pl.DataFrame:
        """All rows into the sink; returns the intervals in which the log was written."""
        proofs: list[pl.DataFrame] = []
        for parsed in parse.chunks():
            for table, rows in parsed.tables.items():
                sink.add(table, rows)
            sink.add_rejects(parsed.rejects)
            proofs.append(parsed.coverage)
        return coverage.joined(proofs)

    def _refused(self, file: IncomingFile, start: blocks.Start) -> Reading:
        """A file that is another one each time it is read."""
        parse = FileParse(file, start)
        parse.failure = UnreadableFile("the file changes while it is read", reason="not_readable")
        return _reading(parse, _Identity(file), None, coverage.joined([]))


class _Identity:
    """The identity of a file's content: known at its end, or by a scan before; of a piece it is known to its reader."""

    def __init__(self, file: IncomingFile, sha256: str = "", end: blocks.Start | None = None) -> None:
        self.file, self.origin = file, origin_text(file.origin, file.source)
        self.version = source_of(file.source).VERSION
        self.sha256, self.end = sha256, end
        self.until = end.offset if end else _NO_END

    def scan(self) -> None:
        """Hash the file; of one that grows beyond the limit the first bytes, which its parse refuses again."""
        try:
            self.sha256, self.until = blocks.scan(self.file.path, self.file.limits)
        except (UnreadableFile, OSError):
            self.sha256, self.until = "refused", _NO_END

    def file_id(self) -> str:
        if not self.sha256:
            self.scan()
        return file_id_of(self.sha256, self.origin, self.file.source, self.version)

    def check(self, parse: FileParse) -> None:
        """All was parsed; is it what rows were put down for?"""
        expected = self.end.sha256 if self.end else self.sha256
        if expected and expected != parse.sha256 and not parse.is_refused:
            raise _Changed
        if not self.end:
            self.sha256 = parse.sha256


def _is_large(file: IncomingFile, start: blocks.Start) -> bool:
    if file.size_bytes < _LARGE_PACKED:
        return False
    try:
        is_packed = bool(packing.compression(file.path))
    except OSError:
        return False
    return is_packed or file.size_bytes - start.offset >= _LARGE_BYTES


def _reading(parse: FileParse, identity: _Identity, sink: RowSink | None, written: pl.DataFrame) -> Reading:
    failure = parse.failure
    found = Reading(
        identity.origin,
        identity.version,
        parse.start,
        parse.resume,
        parse.sha256,
        identity.file_id() if not parse.is_refused else "",
        parse.carry or {},
        parse.counts,
        f"{failure.reason}: {failure}" if failure else "",
        parse.is_refused,
        parse.note,
        parse.warning,
        parse.notes,
        written,
    )
    if sink is not None:
        found.files = sink.files
        if parse.is_refused:
            found.discard()
        else:
            found.days, found.held = sink.days, sink.taken()
    return found
