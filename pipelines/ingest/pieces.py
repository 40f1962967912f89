"""A large log cut at line ends, so that several processes read it at once.

A parser takes lines and the state that the lines before them left (its `Carry`). Whoever reads a piece guesses that
state: it parses the last WARM_UP_BYTES before the piece, and drops their rows. Whoever joins the pieces compares each
guess with the state in which the piece before ended. Where they differ, that piece is read again with the right state.
So a joined reading is what one process would have read, whatever the source. A source whose state follows from recent
lines declares CAN_BE_CUT; for others every guess would fail, and cutting would only cost time.
"""

from dataclasses import astuple, dataclass, replace
from datetime import date
from itertools import pairwise

import polars as pl

from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.parse_file import Counts, FileParse, cut_at_midnight
from pipelines.ingest.reading import Reader, Reading
from pipelines.ingest.rows import RowSink, Setup
from pipelines.primitives.errors import UnreadableFile
from pipelines.sources import blocks, contained, packing, source_of
from pipelines.sources._shared import coverage
from pipelines.sources.protocol import Carry
from pipelines.warehouse.staged_files import Stage
from pipelines.warehouse.tables import LOG_COVERAGE

PIECE_BYTES = 32 * 2**20  # at least; less does not pay for the bytes before it, which are hashed once more
WARM_UP_BYTES = 256 * 2**10  # a thousand lines and more
PIECES_A_WORKER = 2  # the slower half of a log keeps no process waiting for long


@dataclass(frozen=True)
class Piece:
    """A part of a file, from one cut to the next; the digests are those of the file when it was cut."""

    start: blocks.Start
    end: blocks.Start
    file_sha256: str
    carry: Carry | None = None  # the state at its start
    warm_up_bytes: int = 0  # the bytes before it from which that state is guessed, if it is not known

    def with_state(self, carry: Carry | None) -> "Piece":
        """The same, whose state is known."""
        return replace(self, carry=carry, warm_up_bytes=0)


@dataclass(frozen=True)
class PieceReading:
    """The rows of a piece, and the state that its first line was read with."""

    carry: Carry | None
    reading: Reading


def cut(file: IncomingFile, start: blocks.Start, carry: Carry | None, n_workers: int) -> list[Piece]:
    """The pieces of a file from a place on; none where one process should read it."""
    left = file.size_bytes - start.offset
    n_pieces = min(PIECES_A_WORKER * n_workers, left // PIECE_BYTES)
    if n_pieces < 2 or not can_be_cut(file.source):
        return []
    try:
        if packing.compression(file.path):
            return []
        cuts = blocks.cut_points(file.path, start, -(-left // n_pieces))
    except (blocks.PrefixChanged, OSError):
        return []
    if len(cuts) < 3:
        return []
    first, *rest = (Piece(*ends, cuts[-1].sha256, warm_up_bytes=WARM_UP_BYTES) for ends in pairwise(cuts))
    return [first.with_state(carry), *rest]


def can_be_cut(stem: str) -> bool:
    """Whether the state of a source's parser follows from the lines just before."""
    return bool(getattr(source_of(stem), "CAN_BE_CUT", False))


def read(reader: Reader, file: IncomingFile, piece: Piece) -> PieceReading | None:
    """One piece; None where the file has changed since it was cut, or is refused."""
    try:
        carry = guess(file, piece.start, piece.warm_up_bytes) if piece.warm_up_bytes else piece.carry
        found = reader.read_piece(file, piece.start, carry, piece.end, piece.file_sha256)
    except OSError:
        return None
    return PieceReading(carry, found) if found else None


def guess(file: IncomingFile, start: blocks.Start, warm_up_bytes: int = WARM_UP_BYTES) -> Carry | None:
    """The state that the lines just before a cut leave; None where they cannot be read alone."""
    begin = max(0, start.offset - warm_up_bytes)
    with file.path.open("rb") as log:
        log.seek(begin)
        data = log.read(start.offset - begin)
    if begin:
        data = data[data.find(b"\n") + 1 :]
    lines = blocks.frame_of(data, start.line_no - data.count(b"\n"))
    try:
        with contained(file.source):
            return source_of(file.source).parse(lines, file.origin, None).carry
    except UnreadableFile:
        return None


def join(setup: Setup, file: IncomingFile, parts: list[Reading]) -> Reading:
    """One reading from those of all pieces, in their order."""
    last, summed = parts[-1], FileParse(file)
    for part in parts:
        summed.notes.update(part.notes)
    written = coverage.joined([part.written for part in parts])
    sink = RowSink(setup, Stage(setup.place, None, setup.aside), lambda: last.file_id)
    sink.add(LOG_COVERAGE, cut_at_midnight(written).with_columns(source=pl.lit(file.source)))
    days: dict[str, set[date | None]] = {}
    held: dict[str, list[pl.DataFrame]] = {}
    for part_days, part_held in [*((part.days, part.held) for part in parts), (sink.days, sink.taken())]:
        for name, some in part_days.items():
            days.setdefault(name, set()).update(some)
        for name, rows in part_held.items():
            held.setdefault(name, []).append(rows)
    return replace(
        last,
        start=parts[0].start,
        counts=Counts(*map(sum, zip(*(astuple(part.counts) for part in parts), strict=True))),
        notes=summed.notes,
        note=summed.note,
        warning=summed.warning,
        written=written,
        days=days,
        files=[staged for part in parts for staged in part.files],
        held={name: pl.concat(rows) for name, rows in held.items()},
    )
