"""Rows of one header of pmrep or pmdumptext: cells into the columns of the shared relations."""

from typing import NamedTuple

import polars as pl

from pipelines.sources._shared.columns import HOST, Target, sampled
from pipelines.sources._shared.metrics import CPU, DIVISORS, FACTORS, shares
from pipelines.sources.pcp_csv.metrics import Field, Header, why_uncertain

_RAW = "values are raw counters (pmrep -r), not rates"
_NO_PARTS = "no shares of processor time, because user, sys, idle or wait time is missing"
_LARGEST = 2.0**62
_BLANKS = ["", "?", "N/A", "NaN", "nan", "-nan", "inf"]


class Cells(NamedTuple):
    """The cells of some rows as numbers."""

    values: pl.DataFrame  # columns named by place; null where nothing was measured
    is_bad: pl.Series  # a cell that is read is no number


def read_cells(rests: pl.Series, header: Header) -> Cells:
    """Numbers from the texts after the stamps; `?`, `N/A`, `xxx` and empty cells are null."""
    names = [str(field.place) for field in header.fields]
    every = rests.str.split_exact(header.delimiter, max(header.n_fields - 1, 1)).struct.unnest()
    texts = every.select(
        pl.col(f"field_{field.place}").fill_null("").str.strip_chars(' "\r').alias(str(field.place))
        for field in header.fields
    )
    values = texts.select(pl.all().cast(pl.Float64, strict=False))
    values = values.select(pl.when(pl.all().abs() < _LARGEST).then(pl.all()))
    is_bad = pl.Series([False] * rests.len(), dtype=pl.Boolean)
    for name in names:
        is_lost = values[name].is_null() & ~texts[name].is_in(_BLANKS)
        if is_lost.any():
            is_bad = is_bad | (is_lost & ~texts[name].str.contains(r"^x+$"))
    return Cells(values, is_bad)


def has_counter(values: pl.DataFrame, header: Header) -> pl.Series:
    """Whether a row has a value of a counter: in the first row below a header that can only be a raw one."""
    names = [str(field.place) for field in header.fields if field.metric.is_counter]
    return values.select(pl.any_horizontal(pl.col(names).is_not_null()) if names else pl.lit(False)).to_series()


def tables(rows: pl.DataFrame, header: Header, is_raw: bool) -> dict[str, pl.DataFrame]:
    """Rows with `line_no`, `host`, `from_at`, `to_at` and the values by place, as rows of the shared relations."""
    parts = {field.metric.column: str(field.place) for field in header.fields if field.metric.table == CPU}
    targets = [_target(field, header, is_raw) for field in header.fields if field.metric.table != CPU]
    if parts:
        why = _RAW if is_raw else "" if {"user", "sys", "idle", "wait"} <= parts.keys() else _NO_PARTS
        columns = {"cpu_user": pl.col(next(iter(parts.values())))} if why else _shares(parts)
        rows = rows.with_columns(share.alias(f"share {column}") for column, share in columns.items())
        targets += [Target(f"share {column}", HOST, column, why=why) for column in columns]
    return sampled(rows, targets, "pcp_csv")


def _target(field: Field, header: Header, is_raw: bool) -> Target:
    metric = field.metric
    factor = FACTORS.get(metric.unit, 1) if field.factor is None else field.factor
    divisor = DIVISORS.get(metric.unit, 1) if field.factor is None else 1
    why = _RAW if is_raw and metric.is_counter else why_uncertain(header, field)
    return Target(str(field.place), metric.table, metric.column, field.name, field.kind, factor, divisor, why)


_SHARES = {
    "cpu_user": ("user",),
    "cpu_nice": ("nice",),
    "cpu_system": ("sys", "intr"),
    "cpu_idle": ("idle",),
    "cpu_wait": ("wait",),
    "cpu_stolen": ("steal",),
}


def _shares(parts: dict[str, str]) -> dict[str, pl.Expr]:
    """Shares by their columns, from the places of the parts of processor time."""
    part = {name: pl.col(place) for name, place in parts.items()}
    return shares(part.values(), {share: [part[n] for n in names if n in part] for share, names in _SHARES.items()})
