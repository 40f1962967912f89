"""One pass over one file by one source: blocks in, parsed chunks out, every line counted."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pipelines import lines, sources
from pipelines.errors import UnreadableFile
from pipelines.records import REJECTS, SEEN, Carry, Origin, Parsed


@dataclass
class Counts:
    """What became of lines: `n_used + n_skipped + n_rejected = n_lines`."""

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


class Reading:
    """Iterate `chunks()`; afterwards the counts, where the last whole line ended, and why it stopped if it did."""

    def __init__(self, path: Path, stem: str, origin: Origin, start: lines.Start, carry: Carry | None) -> None:
        self.path, self.stem, self.origin = path, stem, origin
        self.start, self.carry = start, carry
        self.counts = Counts()
        self.resume = start  # behind the last whole line
        self.sha256 = start.sha256  # of all bytes
        self.failure: UnreadableFile | None = None

    def chunks(self) -> Iterator[Parsed]:
        """The file's records, block by block.

        A refused or damaged file ends early with `failure` set. Raises lines.PrefixChanged before the first chunk if
        the part that is already known is not what it was.
        """
        source = sources.all_sources()[self.stem]
        try:
            for block in _ahead(lines.read_blocks(self.path, self.start)):
                if block.is_torn:
                    parsed = Parsed(rejects=_rejects(pl.concat([block.lines, block.too_long]), "torn"))
                else:
                    parsed = source.parse(block.lines, self.origin, self.carry)
                    parsed.rejects = pl.concat([parsed.rejects, _rejects(block.too_long, "too_long")])
                    self.carry = parsed.carry
                    self.resume = lines.Start(block.end_offset, block.end_line, block.digest)
                self.sha256 = block.digest
                self.counts.add(parsed, block.lines.height + block.too_long.height)
                yield parsed
        except UnreadableFile as error:
            self.failure = error


def _ahead(blocks: Iterator[lines.Block]) -> Iterator[lines.Block]:
    """The same blocks; the next one is read while one is parsed."""
    with ThreadPoolExecutor(1) as reader:
        coming = reader.submit(next, blocks, None)
        while (block := coming.result()) is not None:
            coming = reader.submit(next, blocks, None)
            yield block


def _rejects(rows: pl.DataFrame, reason: str) -> pl.DataFrame:
    return rows.with_columns(reason=pl.lit(reason)).select(REJECTS.names())


def join_seen(parts: list[pl.DataFrame]) -> pl.DataFrame:
    """Intervals that touch or overlap as one, per host; `line_no` is the smallest of theirs."""
    if not parts:
        return pl.DataFrame(schema=SEEN)
    rows = pl.concat(parts).sort("host", "from_at", "to_at")
    reached = pl.col("to_at").cum_max().shift(1).over("host")
    begins = (pl.col("from_at") > reached).fill_null(True)
    return (
        rows.with_columns(run=begins.cast(pl.Int64).cum_sum().over("host"))
        .group_by("host", "run", maintain_order=True)
        .agg(pl.col("line_no").min(), pl.col("from_at").min(), pl.col("to_at").max())
        .select(SEEN.names())
    )


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
