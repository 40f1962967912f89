"""Rows under a header that is read: cells into numbers, intervals, and the tables they fill.

A row is a frame's line with `line_no`, `text`, `host`, `item`, `n_cpus`, `from_at`, `to_at`, `reason` (null: so far so
good) and one text column for each name of the header that holds a value.
"""

from collections.abc import Iterable
from datetime import timedelta

import polars as pl

from pipelines.sources._shared.columns import DEVICE, NETWORK, over
from pipelines.sources._shared.contract import complete
from pipelines.sources._shared.coverage import joined
from pipelines.sources._shared.device_kinds import disk_kind, interface_kind, kinds_of
from pipelines.sources._shared.sysstat import numbers
from pipelines.sources.protocol import COVERAGE, REJECTS, Carry, Origin, Parsed
from pipelines.sources.sar.activities import MILLISECOND, SHARE, Activity, Layout, lay_out

_ALL_CPUS = ("all", "-1", "-", "system", "")  # the row over all processors, as versions and systems call it
_ONE_CPU = r"^\d+$|^U$"  # on AIX U is what a partition left to others

_INSTANT = pl.Datetime("us")
_NOT_YET = -1
# Larger values come from counters that wrapped or were reset within an interval.
_LARGEST = {"_bytes_s": 2.0**43, "_bytes": 2.0**52, "_rate": 1e10, "_s": 1e9}
_LARGEST_COUNT, _LARGEST_SHARE, _LARGEST_BUSY = 2.0**31 - 1, 1.1, 100.0
_NOTE = "an impossible value was left out"


class ChunkRows:
    """What one chunk gives, gathered header by header."""

    def __init__(self, origin: Origin) -> None:
        self.host = origin.host  # site.toml knows better than the file
        self.tables: dict[str, list[pl.DataFrame]] = {}
        self.rejects: list[pl.DataFrame] = []
        self.used: list[pl.Series] = []

    def reject(self, rows: pl.DataFrame) -> None:
        """Take rows that have a `reason`."""
        self.rejects.append(rows.filter(pl.col("reason").is_not_null()).select("line_no", "text", "reason"))

    def add(self, rows: pl.DataFrame, layout: Layout) -> None:
        """Take rows of one layout; those with bad numbers are rejected, those without a start are skipped."""
        if rows.is_empty():
            return
        if layout.activity.item.lower() == "cpu":
            rows = self._of_all_cpus(rows)
        rows = measure(rows, layout)
        self.reject(rows)
        is_record = pl.col("reason").is_null() & (pl.col("from_at") < pl.col("to_at")).fill_null(False)
        records = rows.filter(is_record)
        if self.host:
            records = records.with_columns(host=pl.lit(self.host))
        self.tables.setdefault(layout.activity.table, []).append(_finish(records, layout.activity.table))
        self.used.append(records["line_no"])

    def _of_all_cpus(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows over all processors; those of single ones are skipped, what is neither is rejected."""
        is_one = pl.col("item").str.contains(_ONE_CPU)
        unknown = rows.filter(~pl.col("item").is_in(_ALL_CPUS) & ~is_one.fill_null(False))
        self.reject(unknown.with_columns(reason=pl.coalesce("reason", pl.lit("bad_syntax"))))
        return rows.filter(pl.col("item").is_in(_ALL_CPUS))

    def add_sparse(self, rows: pl.DataFrame, activity: Activity) -> None:
        """Take rows that name their values themselves: what a row does not have is null."""
        names = list(dict.fromkeys(name for field in activity.fields for name in field.names))
        there = pl.concat_list(
            pl.when(pl.col(name).is_not_null()).then(pl.lit(name)) for name in names
        ).list.drop_nulls()
        rows = rows.with_columns(there=there.list.join(";"))
        for (present,), part in rows.partition_by("there", as_dict=True, maintain_order=True).items():
            if layout := lay_out(activity, tuple(str(present).split(";"))):
                self.add(part, layout)
            else:
                self.reject(part.with_columns(reason=pl.coalesce("reason", pl.lit("bad_syntax"))))

    def parsed(self, n_lines: int, other_used: Iterable[pl.Series], carry: Carry) -> Parsed:
        """All of it; `other_used` are the lines that made no record but were needed (banners, headers)."""
        tables = {name: pl.concat(parts).sort("line_no") for name, parts in self.tables.items()}
        none = pl.DataFrame(schema=REJECTS)
        rejects = pl.concat([none, *(part.cast(REJECTS) for part in self.rejects)]).unique("line_no").sort("line_no")
        used = pl.concat([pl.Series("line_no", [], pl.Int64), *self.used, *other_used]).unique()
        n_used = used.filter(~used.is_in(rejects["line_no"].implode())).len()
        return Parsed(
            tables=tables,
            n_used=n_used,
            n_skipped=n_lines - n_used - rejects.height,
            rejects=rejects,
            coverage=joined([rows.select(COVERAGE.names()) for rows in tables.values()]),
            carry=carry,
        )


def measure(rows: pl.DataFrame, layout: Layout) -> pl.DataFrame:
    """Add the columns of ours and a note; a cell that is no number, or below zero, makes the row a reject.

    A cell that is not there at all (null) is no fault.
    """
    cells = numbers(rows.select(layout.values), layout.units)
    is_bad = pl.any_horizontal(
        (cells[name].is_null() & rows[name].is_not_null()) | (cells[name] < 0).fill_null(False)
        for name in layout.values
    )
    reason = pl.coalesce("reason", pl.when("is_bad").then(pl.lit("bad_number")))
    cells = cells.with_columns(is_bad=is_bad)
    raw = cells.select("is_bad", *(_value(field.names, field.unit).alias(field.target) for field in layout.fields))
    limited = raw.with_columns(
        pl.when(pl.col(field.target).is_between(0, _largest(field.target, field.unit))).then(field.target)
        for field in layout.fields
    )
    lost = [raw[field.target].is_not_null() & limited[field.target].is_null() for field in layout.fields]
    note = pl.when(pl.any_horizontal(*(series.alias(str(i)) for i, series in enumerate(lost)))).then(pl.lit(_NOTE))
    limited = limited.with_columns(note=limited.select(note.alias("note")).to_series())
    head = rows.select("line_no", "text", "host", "item", "n_cpus", "from_at", "to_at", "reason")
    return head.hstack(limited).with_columns(reason=reason).drop("is_bad")


def _value(names: tuple[str, ...], unit: int) -> pl.Expr:
    value = pl.col(names[0])
    for name in names[1:]:
        value = value + pl.col(name)
    return over(value, -unit) if unit in (SHARE, MILLISECOND) else value


def _largest(target: str, unit: int) -> float:
    if target == "busy":
        return _LARGEST_BUSY
    if unit == SHARE:
        return _LARGEST_SHARE
    if target in ("run_queue", "blocked"):
        return _LARGEST_COUNT
    return next((limit for end, limit in _LARGEST.items() if target.endswith(end)), 1e9)


def _finish(records: pl.DataFrame, table: str) -> pl.DataFrame:
    """Records in the shape of their relation."""
    records = records.with_columns(tool=pl.lit("sar"))
    if table == DEVICE:
        names = records["item"].str.strip_prefix("/dev/")
        records = records.with_columns(device=names, kind=kinds_of(names, disk_kind))
    if table == NETWORK:
        records = records.with_columns(interface="item", kind=kinds_of(records["item"], interface_kind))
    return complete(records, table)


def previous(stamps: pl.DataFrame, known: Carry | None) -> tuple[pl.Series, Carry]:
    """The last instant that differs, within the block, of each of `block` and `at`; null for a block's first.

    Rows of one sample (a line for each disk) share it. `known` goes on to the next chunk.
    """
    state = known or {"block": None, "at": None, "before": _NOT_YET}
    at, last = pl.col("us"), pl.col("us").shift(1).fill_null(pl.lit(state["at"], dtype=pl.Int64))
    is_first = pl.col("block").ne_missing(pl.col("block").shift(1).fill_null(pl.lit(state["block"], dtype=pl.Int64)))
    before = pl.when(is_first).then(_NOT_YET).when(at != last).then(last)
    chained = stamps.select("block", us=pl.col("at").dt.epoch("us")).with_columns(
        before=before.forward_fill().fill_null(state["before"])
    )
    if chained.height:
        block, at_us, before_us = chained.select("block", "us", "before").row(-1)
        state = {"block": block, "at": at_us, "before": before_us}
    return chained.select(pl.when(pl.col("before") != _NOT_YET).then("before").cast(_INSTANT)).to_series(), state


def begins(stamps: pl.DataFrame, known: Carry | None) -> tuple[pl.Series, Carry]:
    """Where the samples of `block`, `at` and `interval_s` (whole seconds) begin.

    That is at the stamp before where this differs by no more than the rounding of the interval.
    """
    before, state = previous(stamps, known)
    stated_from = pl.col("at") - pl.duration(seconds=pl.col("interval_s"))
    is_near = (pl.col("before") - stated_from).abs() <= pl.lit(timedelta(seconds=1))
    is_near = is_near & (pl.col("before") < pl.col("at"))
    from_at = pl.when(is_near.fill_null(False)).then("before").otherwise(stated_from)
    return stamps.with_columns(before=before).select(from_at.cast(_INSTANT).alias("from_at")).to_series(), state


def rows_of(lines: pl.DataFrame, layout: Layout, cells: list[pl.Expr], **columns: pl.Expr) -> pl.DataFrame:
    """Lines with one text column for each name of the layout, the item's own apart."""
    named = {name: cell for name, cell in zip(layout.names, cells, strict=True) if name != layout.activity.item}
    place = layout.names.index(layout.activity.item) if layout.activity.item in layout.names else None
    item = cells[place] if place is not None else pl.lit("")
    return lines.with_columns(item=item, **columns, **named)
