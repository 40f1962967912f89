"""From when to when a file speaks for its host."""

import polars as pl

from pipelines.sources.protocol import COVERAGE


def span(line_no: int, host: str, from_us: int, to_us: int) -> pl.DataFrame:
    """One unbroken interval, of instants in microseconds since 1970, UTC."""
    row = {"line_no": line_no, "host": host, "from_at": from_us, "to_at": to_us}
    at = pl.col("from_at", "to_at").cast(pl.Datetime("us"))
    return pl.DataFrame([row]).with_columns(at).select(COVERAGE.names()).cast(COVERAGE)
