"""Rows of one header of pmrep or pmdumptext: cells into the columns of the shared relations."""

from typing import NamedTuple

import polars as pl

from pipelines.sources._shared.columns import HOST, Target, sampled
from pipelines.sources.pcp_csv.metrics import CPU, DIVISORS, FACTORS, Field, Header, why_uncertain

_RAW = "raw counters (pmrep -r), not rates"
_NO_PARTS = "processor time without user, sys, idle and wait: no shares"
_LARGEST = 2.0**62
_BLANKS = ["", "?", "N/A", "NaN", "nan", "-nan", "inf"]


class Cells(NamedTuple):
    """The cells of some rows as numbers."""

    values: pl.DataFrame  # columns named by place; null where nothing was measured
    is_bad: pl.Series  # a cell that is read is no number


def read_cells(rests: pl.Series, header: Header) -> Cells:
    """Numbers from the texts behind the stamps; `?`, `N/A`, `xxx` and empty cells are null."""
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
        rows = rows.with_columns(_shares(parts) if not why else [])
        columns = _columns(parts) if not why else {"cpu_user": next(iter(parts.values()))}
        targets += [Target(place, HOST, column, why=why) for column, place in columns.items()]
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


def _columns(parts: dict[str, str]) -> dict[str, str]:
    return {column: f"share {column}" for column, names in _SHARES.items() if parts.keys() & set(names)}


def _shares(parts: dict[str, str]) -> list[pl.Expr]:
    """Shares of processor time from its parts, ms or seconds of all processors together: parts of their sum."""
    part = {name: pl.col(place) for name, place in parts.items()}
    total = pl.sum_horizontal(part.values(), ignore_nulls=False)
    is_sound = (total > 0) & pl.all_horizontal(value >= 0 for value in part.values())
    return [
        pl.when(is_sound)
        .then(pl.sum_horizontal(part[name] for name in _SHARES[column] if name in part) / total)
        .alias(place)
        for column, place in _columns(parts).items()
    ]
