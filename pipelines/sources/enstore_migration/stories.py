"""The steps of one file put together: read from its old tape, written to the new one, and exchanged."""

from typing import Any

import polars as pl

from pipelines.sources._shared.contract import fitted

TABLE = "enstore_migration_file"

_AT = pl.Datetime("us")
# State of the files whose story goes on, for the next chunk.
_OPEN: dict[str, pl.DataType] = {
    "line_no": pl.Int64(),
    "system": pl.String(),
    "host": pl.String(),
    "logged_at": pl.Int64(),
    **dict.fromkeys(("thread", "kind", "phase", "bfid", "dst_bfid", "volume"), pl.String()),
    "file_number": pl.Int64(),
    **dict.fromkeys(("source_path", "target_path", "error"), pl.String()),
}


def tell(steps: pl.DataFrame, before: list[list[Any]]) -> tuple[pl.DataFrame, list[list[Any]]]:
    """The files whose last step is here, and the steps of those that go on.

    A story ends when the new copy took the old one's place, or something failed for good.
    """
    left = pl.DataFrame(before, schema=_OPEN, orient="row").with_columns(pl.col("logged_at").cast(_AT))
    relevant = steps.filter(
        pl.col("bfid").is_not_null()
        & pl.col("kind").is_in(["read", "write", "swap"])
        & pl.col("phase").is_in(["begun", "ended", "failed", "retried"])
    )
    known = pl.concat([left, relevant.select(left.columns)])
    is_last = (pl.col("phase") == "failed") | ((pl.col("kind") == "swap") & (pl.col("phase") == "ended"))
    known = known.with_columns(is_last=is_last).with_columns(
        story=pl.col("is_last").cast(pl.Int64).cum_sum().over("bfid") - pl.col("is_last").cast(pl.Int64)
    )
    known = known.with_columns(is_complete=pl.col("is_last").any().over("bfid", "story"))
    files = known.filter("is_complete").group_by("bfid", "story", maintain_order=True).agg(**_columns())
    rest = known.filter(~pl.col("is_complete")).with_columns(pl.col("logged_at").to_physical())
    return fitted(files, TABLE).sort("line_no"), [list(row) for row in rest.select(*_OPEN).rows()]


def _columns() -> dict[str, pl.Expr]:
    kind, phase = pl.col("kind"), pl.col("phase")

    def of(column: str, which: pl.Expr) -> pl.Expr:
        return pl.col(column).filter(which & pl.col(column).is_not_null()).last()

    reads, writes, swaps = kind == "read", kind == "write", kind == "swap"
    failed = phase == "failed"
    ended = (phase == "ended") | failed
    return {
        **{name: pl.col(name).last() for name in ("line_no", "system", "host")},
        **{name: pl.col(name).drop_nulls().last() for name in ("dst_bfid", "volume", "file_number", "error")},
        # the read goes from the name space to disk, the write from there to the name space
        "source_path": pl.coalesce(of("source_path", swaps), of("source_path", reads)),
        "target_path": pl.coalesce(of("target_path", writes), of("target_path", swaps)),
        "read_from_at": of("logged_at", reads & (phase == "begun")),
        "read_to_at": of("logged_at", reads & ended),
        "read_thread": of("thread", reads),
        "write_from_at": of("logged_at", writes & (phase == "begun")),
        "write_to_at": of("logged_at", writes & ended),
        "write_thread": of("thread", writes),
        "n_retries": (phase == "retried").sum().cast(pl.Int64),
        "swapped_at": of("logged_at", swaps & (phase == "ended")),
        "ended_at": pl.col("logged_at").last(),
        "result": pl.when(failed.any())
        .then(pl.concat_str(kind.filter(failed).last(), pl.lit("_failed")))
        .otherwise(pl.lit("ok")),
    }
