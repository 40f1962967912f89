"""Wide rows of numbers, one column a metric, into the rows of the shared relations: one a host, disk or interface."""

from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from pipelines.sources._shared import contract
from pipelines.sources.protocol import Carry, Parsed

HOST, DEVICE, NETWORK, DRIVE = "host_sample", "device_sample", "network_sample", "drive_counter"
TABLES = (HOST, DEVICE, NETWORK)
RUN = "benchmark_run"
OF_HOSTS = (*TABLES, RUN)  # filled by several sources, with what was measured on one host
NEGATIVE = "negative value: a counter was reset"

NAMES = {DEVICE: "device", NETWORK: "interface"}
_KEYS = ("line_no", "host", "from_at", "to_at")
LARGEST = 2.0**62


class Target(NamedTuple):
    """Where a column of numbers goes, and what makes it ours: times `factor`, over `divisor`."""

    place: str  # the column
    table: str
    column: str
    name: str = ""  # of device or interface
    kind: str = ""
    factor: int = 1
    divisor: int = 1
    why: str = ""  # what keeps its meaning from being certain: then it is null, and the note says so


def no_rows() -> dict[str, pl.DataFrame]:
    """The shared relations of samples, empty."""
    return {table: contract.no_rows(table) for table in TABLES}


def sampled(rows: pl.DataFrame, targets: Iterable[Target], tool: str) -> dict[str, pl.DataFrame]:
    """Rows with `line_no`, `host`, `from_at`, `to_at` and columns of numbers, as rows of the shared relations.

    A host, disk or interface without any value in a row has none there. Of two columns that mean the same the first
    counts.
    """
    of: dict[tuple[str, str, str], dict[str, Target]] = {}
    for target in targets:
        of.setdefault((target.table, target.name, target.kind), {}).setdefault(target.column, target)
    made: dict[str, list[pl.DataFrame]] = {table: [] for table in TABLES}
    for (table, name, kind), of_one in of.items():
        named = {NAMES[table]: name, "kind": kind} if table in NAMES else {}
        made[table].append(_of_one(rows, list(of_one.values()), {"tool": tool, **named}))
    empty = rows.clear().select(_KEYS)
    return {
        table: contract.complete(
            pl.concat(parts or [empty], how="diagonal_relaxed").sort("line_no", maintain_order=True), table
        )
        for table, parts in made.items()
    }


def _of_one(rows: pl.DataFrame, targets: list[Target], named: dict[str, str]) -> pl.DataFrame:
    known = [target for target in targets if not target.why]
    is_any = pl.any_horizontal(pl.col(target.place).is_not_null() for target in targets)
    notes = [pl.when(pl.col(target.place) < 0).then(pl.lit(NEGATIVE)) for target in known]
    notes += [pl.when(pl.col(target.place).is_not_null()).then(pl.lit(target.why)) for target in targets if target.why]
    note = pl.concat_list(notes).list.drop_nulls().list.unique(maintain_order=True).list.join("; ")
    return rows.filter(is_any).select(
        *_KEYS,
        *(pl.lit(value).alias(key) for key, value in named.items()),
        *(_fitted(target).alias(target.column) for target in known),
        pl.when(note != "").then(note).alias("note"),
    )


def _fitted(target: Target) -> pl.Expr:
    """A value in our unit."""
    value = pl.col(target.place)
    if target.factor != 1:
        value = value * target.factor
    if target.divisor != 1:
        value = over(value, target.divisor)
    return as_column(value, target.table, target.column)


def as_column(value: pl.Expr, table: str, column: str) -> pl.Expr:
    """A number as a column of a relation holds it."""
    return whole(value, contract.schema_of(table)[column])


def over(value: pl.Expr, divisor: int) -> pl.Expr:
    """A value over a number.

    Polars divides many values by one number through its reciprocal, but a single value truly, so that a value would
    depend on the chunk it came in: hence a column of divisors.
    """
    return value / (pl.int_range(pl.len()) * 0 + divisor)


def whole(value: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """A number as a column of this type holds it: rounded if it has whole numbers, null if negative or too large."""
    value = pl.when(value.is_between(0, 2**31 - 1 if kind == pl.Int32 else LARGEST)).then(value)
    return value.round().cast(kind) if kind.is_integer() else value


def join_parts(parts: list[Parsed], n_used: int, lines: pl.DataFrame, carry: Carry) -> Parsed:
    """What the runs within a chunk became, as one; all have the same tables."""
    return Parsed.of(
        lines,
        n_used,
        pl.concat([part.rejects for part in parts]).sort("line_no"),
        tables={table: pl.concat([part.tables[table] for part in parts]) for table in parts[0].tables},
        coverage=pl.concat([part.coverage for part in parts]),
        carry=carry,
    )
