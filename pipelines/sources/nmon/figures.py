"""The data lines of nmon as figures, one row each, and figures put together to rows of the shared relations."""

import polars as pl

from pipelines.sources._shared.columns import DEVICE, HOST, LARGEST, NAMES, NETWORK, whole
from pipelines.sources._shared.contract import complete, no_rows, schema_of
from pipelines.sources._shared.device_kinds import disk_kind, interface_kind, kinds_of
from pipelines.sources.nmon.layout import SWAP_FREE, SWAP_TOTAL, columns_of
from pipelines.sources.protocol import first_of

FIGURES = pl.Schema(
    {"line_no": pl.Int64, "shot": pl.Int64, "name": pl.String, "column": pl.String, "value": pl.Float64}
)
_KINDS = {DEVICE: disk_kind, NETWORK: interface_kind}


def split(lines: pl.DataFrame, tag: str, header: str) -> pl.DataFrame:
    """Lines of one tag below one header with `cells`, and why a line is rejected."""
    width, columns = columns_of(tag, header)
    rest = pl.col("text").str.strip_chars_end(", \r").str.splitn(",", 3).struct.field("field_2").fill_null("")
    lines = lines.with_columns(cells=rest.str.split(","))
    n_cells = pl.when(rest == "").then(0).otherwise(pl.col("cells").list.len())
    texts = lines.select(
        pl.col("cells").list.get(int(column.place), null_on_oob=True).str.strip_chars().alias(column.place)
        for column in columns
    )
    is_number = pl.all().cast(pl.Float64, strict=False).is_not_null() | pl.all().is_in(["", "-nan", "nan", "-"])
    is_unreadable = texts.select(pl.any_horizontal(~is_number)).to_series() if columns else pl.lit(False)
    return lines.with_columns(width=n_cells, is_unreadable=is_unreadable).with_columns(
        reason=first_of(wrong_width=pl.col("width") != width, bad_number=pl.col("is_unreadable"))
    )


def figures(lines: pl.DataFrame, tag: str, header: str) -> pl.DataFrame:
    """The figures of whole lines of one tag; what nmon could not measure (-1, nan) is left out."""
    _, columns = columns_of(tag, header)
    if not columns or not lines.height:
        return pl.DataFrame(schema=FIGURES)
    about = pl.DataFrame(
        [
            (int(column.place), column.name, column.column, float(column.factor), float(column.divisor))
            for column in columns
        ],
        schema={"place": pl.Int64, "name": pl.String, "column": pl.String, "factor": pl.Float64, "divisor": pl.Float64},
        orient="row",
    )
    long = (
        lines.select("line_no", "shot", "cells", place=pl.int_ranges(0, pl.col("cells").list.len()))
        .explode("cells", "place")
        .join(about, on="place", how="inner", maintain_order="left")
        .with_columns(value=pl.col("cells").str.strip_chars().cast(pl.Float64, strict=False))
        .filter(pl.col("value").is_between(0, LARGEST))
    )
    # by columns: over a single number Polars divides through its reciprocal
    return long.with_columns(value=pl.col("value") * pl.col("factor") / pl.col("divisor")).select(FIGURES.names())


def together(found: pl.DataFrame, clock: pl.DataFrame, table: str, host: str) -> pl.DataFrame:
    """Figures of whole snapshots as rows of one relation; `clock` has `shot`, `from_at`, `to_at` and `note`."""
    if not found.height:
        return no_rows(table)
    # one whole number a row to be: pivot and group by are slow with texts
    names = found["name"].unique(maintain_order=True).to_list()
    codes = {name: code for code, name in enumerate(names)}
    code = pl.col("name").replace_strict(codes, return_dtype=pl.Int64)
    found = found.sort("line_no", maintain_order=True).with_columns(key=pl.col("shot") * len(names) + code)
    lines = found.group_by("key").agg(pl.col("line_no").min())
    rows = (
        found.pivot(on="column", index="key", values="value", aggregate_function="first")
        .join(lines, on="key", maintain_order="left")
        .with_columns(
            shot=pl.col("key") // len(names),
            name=(pl.col("key") % len(names)).replace_strict(dict(enumerate(names)), return_dtype=pl.String),
        )
        .join(clock, on="shot", maintain_order="left")
    )
    if table == HOST and {SWAP_TOTAL, SWAP_FREE} <= set(rows.columns):
        rows = rows.with_columns(swapped_bytes=pl.col(SWAP_TOTAL) - pl.col(SWAP_FREE))
    counts = {name: kind for name, kind in schema_of(table).items() if kind.is_integer() and name in rows.columns}
    rows = rows.with_columns(whole(pl.col(name), kind).alias(name) for name, kind in counts.items())
    if table in NAMES:
        rows = rows.with_columns(pl.col("name").alias(NAMES[table]), kind=kinds_of(rows["name"], _KINDS[table]))
    rows = rows.filter(pl.col("from_at") < pl.col("to_at"))
    rows = rows.with_columns(host=pl.lit(host, dtype=pl.String), tool=pl.lit("nmon"))
    return complete(rows, table).sort("line_no", maintain_order=True)
