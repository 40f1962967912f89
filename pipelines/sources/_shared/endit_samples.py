"""Samples of ENDIT's archiver and retriever for Prometheus: the columns of `bronze.endit_stat` that they become."""

from typing import Any

import polars as pl

from pipelines.sources._shared.contract import complete, schema_of
from pipelines.sources._shared.stamps import instant_of
from pipelines.sources.protocol import COVERAGE, Origin

TABLE = "endit_stat"
SAMPLE = r'^endit_(?P<daemon>archiver|retriever)_(?P<key>[a-z_]+)\{hsm="(?P<pool>[^"\\]*)"\}\s+(?P<value>\S+)\s*$'
OPERATIONS = {"archiver": "archive", "retriever": "retrieve"}
# column: its key of the archiver, and of the retriever
KEYS = {
    "done_bytes": ("flushed_bytes", "staged_bytes"),
    "done_files": ("flushed_files", "staged_files"),
    "n_retries": ("flush_retries", "stage_retries"),
    "queued_bytes": ("usage_bytes", "requests_bytes"),
    "queued_files": ("usage_files", "requests_files"),
    "pending_bytes": ("pending_bytes", None),
    "pending_files": ("pending_files", None),
    "working_bytes": ("working_bytes", "working_bytes"),
    "working_files": ("working_files", "working_files"),
    "n_busy": ("busyworkers", "busyworkers"),
    "n_most": ("maxworkers", "maxworkers"),
    "room_bytes": (None, "in_avail_bytes"),
    "backoff": (None, "backoffstate"),
    "hint_files": (None, "hintfile_entries"),
}
CLOCKS = {"sampled_at": "time", "started_at": "starttime", "hinted_at": "hintfile_mtime"}
NUMBER = r"^-?\d{1,18}(?:\.\d{1,18})?(?:e\+?\d{1,2})?$"
MOST_CHARS = 128


def samples_of(lines: pl.DataFrame, by: tuple[str, ...] = ()) -> pl.DataFrame:
    """Samples of Prometheus text; good are the first of each daemon, label and key (and columns `by`)."""
    rows = lines.with_columns(pl.col("text").str.extract_groups(SAMPLE).struct.unnest()).drop_nulls("daemon")
    rows = rows.with_columns(is_number=pl.col("value").str.contains(NUMBER))
    rows = rows.with_columns(is_good=pl.struct(*by, "daemon", "key", "pool").is_first_distinct() & pl.col("is_number"))
    return rows.with_columns(is_dated=(pl.col("is_good") & (pl.col("key") == "time")).any().over(*by, "daemon", "pool"))


def pivoted(samples: pl.DataFrame, by: tuple[str, ...] = ()) -> pl.DataFrame:
    """A row per daemon and label (and columns `by`)."""
    good = samples.filter("is_good", "is_dated")

    def value(archiver: str | None, retriever: str | None) -> pl.Expr:
        is_archiver = pl.col("daemon") == "archiver"
        key = pl.when(is_archiver).then(pl.lit(archiver, pl.String)).otherwise(pl.lit(retriever, pl.String))
        return pl.col("value").filter(pl.col("key") == key).first()

    numbers = {name: value(*keys) for name, keys in KEYS.items()}
    clocks = {name: value(key, key) for name, key in CLOCKS.items()}
    rows = good.group_by(*by, "daemon", "pool", maintain_order=True).agg(pl.col("line_no").min(), **numbers, **clocks)
    return rows.select(
        "line_no",
        pl.col("daemon").replace(OPERATIONS).alias("operation"),
        pl.col("pool").str.head(MOST_CHARS),
        **typed({name: pl.col(name) for name in numbers}, {name: pl.col(name) for name in clocks}),
    )


def typed(numbers: dict[str, pl.Expr], clocks: dict[str, pl.Expr]) -> dict[str, Any]:
    """Columns of the relation, of the text of their values."""
    whole = {
        name: text.cast(pl.Float64, strict=False).cast(schema_of(TABLE)[name], strict=False)
        for name, text in numbers.items()
    }
    return whole | {name: instant_of(text.cast(pl.Float64, strict=False)) for name, text in clocks.items()}


def instants(rows: pl.DataFrame) -> pl.DataFrame:
    """What rows of the relation prove: each its own instant."""
    return rows.select("line_no", "host", from_at="sampled_at", to_at="sampled_at").cast(COVERAGE)


def to_table(found: pl.DataFrame, origin: Origin) -> pl.DataFrame:
    """The rows of the relation, of those that have a time."""
    dated = found.filter(pl.col("sampled_at").is_not_null())
    names = {"system": origin.system or origin.host, "host": origin.host or origin.system}
    return complete(dated.with_columns(pl.lit(name).alias(column) for column, name in names.items()), TABLE)
