"""Samples of vmstat as rows of a relation, and the account of all lines."""

import polars as pl

from pipelines.sources._shared.contract import complete
from pipelines.sources._shared.coverage import unbroken
from pipelines.sources._shared.names import stem_of
from pipelines.sources.protocol import Carry, Origin, Parsed, rejected


def gather(
    lines: pl.DataFrame,
    rows: pl.DataFrame,
    others: pl.DataFrame,
    records: pl.DataFrame,
    n_read: int,
    table: str,
    origin: Origin,
    state: Carry,
) -> Parsed:
    """`n_read` of the rows were used; of the other lines all but junk and what is skipped."""
    host = origin.host or stem_of(origin.path)
    records = records.with_columns(host=pl.lit(host, dtype=pl.String), tool=pl.lit("vmstat"))
    junk = others.filter(kind="junk").select("line_no", "text", reason=pl.lit("bad_syntax"))
    return Parsed.of(
        lines,
        n_read + others.filter(~pl.col("kind").is_in(["junk", "skip"])).height,
        rejected(junk, rows),
        tables={table: complete(records, table)},
        coverage=unbroken(records),
        carry=state,
    )
