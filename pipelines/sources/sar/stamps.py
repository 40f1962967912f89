"""Stamps of sadf: `2026-03-02 09:10:01 UTC`, with another zone's word or none, or seconds since 1970."""

import polars as pl

from pipelines.sources._shared.stamps import Fold, dated, read_stamp
from pipelines.sources.protocol import Origin

_EPOCH = r"^\d{9,11}$"
_STAMP = r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d( [A-Za-z+-]\S*)?$"
_LONGEST_S = 10 * 86_400


def read_stamps(rows: pl.DataFrame, origin: Origin, fold: Fold | None) -> tuple[pl.DataFrame, Fold | None]:
    """Add `at`, null where `stamp` is unreadable, and `interval_s`, null where `interval` is no length of time."""
    stamp = pl.col("stamp")
    is_epoch = stamp.str.contains(_EPOCH)
    epoch = pl.from_epoch(pl.when(is_epoch).then(stamp).cast(pl.Int64, strict=False), time_unit="s")
    local = pl.when(stamp.str.contains(_STAMP)).then(read_stamp(stamp.str.slice(0, 19)))
    interval = pl.col("interval").cast(pl.Int64, strict=False)
    rows = rows.with_columns(
        local=pl.coalesce(local, epoch.cast(pl.Datetime("us"))),
        word=pl.when(is_epoch).then(pl.lit("UTC")).otherwise(stamp.str.slice(20)),
        interval_s=pl.when(interval.is_between(1, _LONGEST_S)).then(interval),
    )
    good, fold = dated(rows.filter(pl.col("word").is_not_null()), origin.zone, fold)
    known = good.select("line_no", pl.col("at").cast(pl.Datetime("us")))
    return rows.drop("local", "word").join(known, on="line_no", how="left", maintain_order="left"), fold
