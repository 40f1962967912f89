"""Polls of generated MRTG logs, and the faults planted in them."""

from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import polars as pl

START = 1_040_000_100  # of the generated polls, 300 s apart; the faults are those of its README
PAUSE, LONG_PAUSE, RESTART, FAILED = (300, 304), (500, 535), (700, 700), (800, 803)


def epoch(at: datetime) -> int:
    return int(at.replace(tzinfo=UTC).timestamp())


def polled(path: Path) -> list[tuple[int, ...]]:
    """Polls of a generated log, the counters of 32 bits made to run on."""
    polls: list[tuple[int, ...]] = pl.read_csv(path).rows()
    if "counter64" in path.name:
        return polls
    ran = [polls[0]]
    for before, after in pairwise(polls):
        steps = ((new - old) % 2**32 for old, new in zip(before[1:], after[1:], strict=True))
        ran.append((after[0], *(total + step for total, step in zip(ran[-1][1:], steps, strict=True))))
    return ran


def touches(row: dict[str, datetime], *faults: tuple[int, int]) -> bool:
    first, last = ((epoch(row[name]) - START) / 300 for name in ("from_at", "to_at"))
    return any(first < end + 2 and last > begin - 2 for begin, end in faults)
