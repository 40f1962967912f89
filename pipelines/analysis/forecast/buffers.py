"""Buffers before the tapes: the size that the site's own reads suggest, for all files and for each family."""

from dataclasses import dataclass
from typing import TypeGuard

import polars as pl

from pipelines.analysis.forecast.history import History
from pipelines.analysis.models.buffer import Behaviour, Ints, behaviour, caught, caught_by_day, distances
from pipelines.primitives.errors import TapescopeError
from pipelines.primitives.estimate import Estimate, NoEstimate

N_MOST = 1_000_000


@dataclass(frozen=True)
class Reads:
    """Reads of one kind in their order, as one witness saw them: columns of equal length."""

    sizes: Ints
    days: Ints
    apart: Ints  # distances by which a buffer for these alone catches them

    def of_size(self, size_tb: float) -> Estimate | NoEstimate:
        """Share of the bytes that a buffer of this size would have caught."""
        return caught_by_day(self.apart, self.sizes, self.days, size_tb)

    def caught_bytes(self, size_tb: float) -> int:
        """Bytes that it would have caught."""
        return int(self.sizes[caught(self.apart, size_tb)].sum())


@dataclass(frozen=True)
class Family:
    """One family with a buffer of its own, or all of them with one."""

    name: str
    reads: Reads
    found: Behaviour | NoEstimate


@dataclass(frozen=True)
class Buffers:
    """What one witness saw: all files with one buffer, and each family with its own, the most bytes first."""

    witness: str
    n_days: int
    is_cut: bool  # there were more reads than are looked at
    whole: Family
    families: list[Family]

    def own(self) -> tuple[float, float, float] | None:
        """TB of the families' own buffers, each of the size from which it is flat, the share of all bytes these would
        have caught, and the share one buffer of as many TB for all of them would have; None where no size matters."""
        sized = [(one.reads, one.found.flat_tb) for one in self.families if _matters(one.found)]
        total = int(self.whole.reads.sizes.sum())
        if not sized or not total:
            return None
        together_tb = sum(size_tb for _, size_tb in sized)
        own = sum(reads.caught_bytes(size_tb) for reads, size_tb in sized)
        return together_tb, own / total, self.whole.reads.caught_bytes(together_tb) / total


def _matters(found: Behaviour | NoEstimate) -> TypeGuard[Behaviour]:
    return isinstance(found, Behaviour) and found.verdict != "does not matter"


def buffers(history: History, group: str = "", n_most: int = N_MOST) -> list[Buffers]:
    """What the drives, and what the pools saw. Raises TapescopeError where no file was read from tape."""
    answer = history.answer("tape_reads", group=group, n_most=str(n_most))
    if not answer.rows:
        of_group = f" of storage group {group!r}" if group else ""
        check = "check the name with `tapescope ask members`, or " if group else ""
        raise TapescopeError(
            f"no log shows a file{of_group} read from tape on these days",
            f"{check}choose other days with --days or --day",
        )
    names = [column.name for column in answer.columns]
    columns = dict(zip(names, zip(*answer.rows, strict=True), strict=True))
    del columns["read_at"]  # which only orders the rows
    reads = pl.DataFrame(columns).select(
        "witness",
        file=pl.concat_str("system", "file", separator="\0").cast(pl.Categorical).to_physical().cast(pl.Int64),
        family=_family(),
        size="bytes",
        day=pl.col("day").dt.epoch("d").cast(pl.Int64),
    )
    found = []
    for witness in ("drives", "pools"):
        known = reads.filter(witness=witness)
        if known.is_empty():
            continue
        own = [_one(str(name), part) for (name,), part in known.partition_by("family", as_dict=True).items()]
        own.sort(key=lambda one: (-int(one.reads.sizes.sum()), one.name))
        found.append(Buffers(witness, known["day"].n_unique(), known.height >= n_most, _one("all", known), own))
    return found


def _family() -> pl.Expr:
    parts = [pl.when(pl.col(name) != "").then(name) for name in ("storage_group", "file_family")]
    return pl.coalesce(
        pl.concat_str(*parts, separator=".", ignore_nulls=True).replace("", None), pl.lit("family unknown")
    )


def _one(name: str, reads: pl.DataFrame) -> Family:
    files, sizes, days = (reads[column].to_numpy() for column in ("file", "size", "day"))
    apart = distances(files, sizes)
    return Family(name, Reads(sizes, days, apart), behaviour(apart, sizes, days))
