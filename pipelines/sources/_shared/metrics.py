"""Tables of metrics: for each metric its relation and column, its unit, and whether it is a counter or a gauge."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import polars as pl

from pipelines.primitives.units import KIB

# How a value becomes ours: times a factor, or over a divisor.
COUNT, NUMBER, BYTE, KBYTE, PERCENT, MILLI = "count", "number", "byte", "Kbyte", "percent", "milli"
FACTORS = {BYTE: 1, KBYTE: KIB}
DIVISORS = {PERCENT: 100, MILLI: 1000}

CPU = "cpu"  # parts of processor time: shares of their sum, whatever unit they are in


class Metric(NamedTuple):
    """Where a metric goes."""

    table: str
    column: str
    unit: str
    is_counter: bool = True
    is_rescaled: bool = False  # a predefined report of PCP prints it in another unit than a plain pmrep


def shares(parts: Iterable[pl.Expr], of: Mapping[str, Sequence[pl.Expr]]) -> dict[str, pl.Expr]:
    """Shares of processor time from its parts, in any unit, of all processors together: parts of their sum.

    `of` maps each share to the parts that make it.
    """
    parts = list(parts)
    total = pl.sum_horizontal(parts, ignore_nulls=False)
    is_sound = (total > 0) & pl.all_horizontal(part >= 0 for part in parts)
    return {share: pl.when(is_sound).then(pl.sum_horizontal(some) / total) for share, some in of.items() if some}
