"""One pass over one file by one source: blocks in, parsed chunks out, every line counted."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import polars as pl

from pipelines import sources
from pipelines.ingest.identify import IncomingFile
from pipelines.ingest.limits import IMPOSSIBLE, leave_out_impossible
from pipelines.primitives.errors import UnreadableFile
from pipelines.primitives.zone_names import disagreement
from pipelines.sources import blocks, contained
from pipelines.sources._shared.columns import OF_HOSTS
from pipelines.sources.protocol import (
    AVERAGES,
    COUNTERS,
    NO_YEAR,
    OTHER_PROGRAM,
    OTHER_SERIES,
    REJECTS,
    Carry,
    Parsed,
)

_SKIPPED = {AVERAGES, COUNTERS, OTHER_PROGRAM, OTHER_SERIES}  # notes that say why lines are skipped
_SMALL_LINES = 5_000  # a first block of fewer lines is nearly always the only one


@dataclass
class Counts:
    """The state of lines: `n_used + n_skipped + n_rejected = n_lines`."""

    n_lines: int = 0
    n_used: int = 0
    n_skipped: int = 0
    n_rejected: int = 0
    n_records: int = 0

    def add(self, parsed: Parsed, n_lines: int) -> None:
        self.n_lines += n_lines
        self.n_used += parsed.n_used
        self.n_skipped += parsed.n_skipped
        self.n_rejected += parsed.rejects.height
        self.n_records += parsed.n_records


class FileParse:
    """Iterate `chunks()`; afterwards the counts, where the last whole line ended, and why it stopped if it did."""

    def __init__(
        self,
        file: IncomingFile,
        start: blocks.Start | None = None,
        carry: Carry | None = None,
        until: float = float("inf"),
    ) -> None:
        self.file, self.source = file, sources.source_of(file.source)
        self.start, self.carry, self.until = start or blocks.Start(), carry, until
        self.counts = Counts()
        self.resume = self.start  # after the last whole line
        self.sha256 = self.start.sha256  # of all bytes
        self.failure: UnreadableFile | None = None
        self.notes: Counter[str] = Counter()  # see protocol.Parsed

    @property
    def note(self) -> str:
        """Notes for a person about a file that was read, in one line; '' if nothing."""
        return "; ".join([self.warning] * bool(self.warning) + self._counted(_SKIPPED))

    @property
    def warning(self) -> str:
        """Of that, what makes rows wrong or loses them: a host's other zone words, no year, damaged numbers."""
        is_of_host = bool(set(self.source.TABLES) & set(OF_HOSTS))
        zone = disagreement(self.file.origin.head, self.file.origin.zone, self.file.glob) if is_of_host else ""
        return "; ".join([zone] * bool(zone) + self._counted({NO_YEAR, IMPOSSIBLE}))

    def _counted(self, which: set[str]) -> list[str]:
        found = [(what, n) for what, n in self.notes.items() if what in which and n]
        return [f"{n} lines are {what}" if n > 1 else f"1 line is {what}" for what, n in found]

    def chunks(self) -> Iterator[Parsed]:
        """The file's records, block by block.

        A refused or damaged file ends early with `failure` set. Raises blocks.PrefixChanged before the first chunk if
        the part that is already known is not what it was.
        """
        is_whole = getattr(self.source, "IS_WHOLE", False) and not self.file.grows_by_lines
        try:
            for block in _ahead(self._blocks()):
                self.sha256 = block.digest  # also of a block that is refused: it identifies this file
                if block.is_torn and not is_whole:
                    parsed = Parsed(rejects=self._rejects(pl.concat([block.lines, block.too_long]), "torn"))
                else:
                    parsed = self._parse(block)
                    self.carry = parsed.carry
                    # after a line that may yet go on nothing can be read further: if the file grows, all is read again
                    end = blocks.Start(block.end_offset, block.end_line, block.digest)
                    self.resume = blocks.Start() if block.is_torn else end
                self.notes.update(parsed.notes)
                self.counts.add(parsed, block.lines.height + block.too_long.height)
                yield parsed
        except UnreadableFile as error:
            self.failure = error
        except OSError as error:  # such as a log that was rotated away since it was found
            self.failure = UnreadableFile(error.strerror or str(error), reason="not_readable")

    def _blocks(self) -> Iterator[blocks.Block]:
        block_bytes = getattr(self.source, "BLOCK_BYTES", blocks.BLOCK_BYTES)
        return blocks.read_blocks(self.file.path, self.start, block_bytes, self.file.limits, self.until)

    @property
    def is_refused(self) -> bool:
        """It stopped early, and not because an archive is damaged, of which what could be read is kept."""
        return self.failure is not None and self.failure.reason != "broken_archive"

    def _parse(self, block: blocks.Block) -> Parsed:
        with contained(self.file.source):
            parsed = leave_out_impossible(self.source.parse(block.lines, self.file.origin, self.carry))
            parsed.rejects = pl.concat([parsed.rejects, self._rejects(block.too_long, "too_long")])
            return parsed

    def _rejects(self, rows: pl.DataFrame, reason: str) -> pl.DataFrame:
        """Lines no source was asked about; their text is not kept where it may hold passwords."""
        if getattr(self.source, "HAS_SECRETS", False):
            rows = rows.with_columns(text=pl.lit(""))
        return rows.with_columns(reason=pl.lit(reason)).select(REJECTS.names())


def _ahead(coming: Iterator[blocks.Block]) -> Iterator[blocks.Block]:
    """The same blocks; the next one is read while one is parsed. A small file is not worth a thread."""
    first = next(coming, None)
    if first is None:
        return
    yield first
    if first.lines.height < _SMALL_LINES:
        yield from coming
        return
    with ThreadPoolExecutor(1) as reader:
        following = reader.submit(next, coming, None)
        while (block := following.result()) is not None:
            following = reader.submit(next, coming, None)
            yield block


def cut_at_midnight(rows: pl.DataFrame) -> pl.DataFrame:
    """Each interval cut at UTC midnights, so that a day's intervals are found under that day."""
    day = pl.col("midnight")
    return (
        rows.with_columns(
            midnight=pl.datetime_ranges(pl.col("from_at").dt.truncate("1d"), pl.col("to_at"), interval="1d")
        )
        .explode("midnight")
        .filter((day < pl.col("to_at")) | (day <= pl.col("from_at")))
        .with_columns(
            from_at=pl.max_horizontal("from_at", day), to_at=pl.min_horizontal("to_at", day + pl.duration(days=1))
        )
        .drop("midnight")
    )
