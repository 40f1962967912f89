"""From when to when a file speaks for its host."""

import polars as pl

from pipelines.sources.protocol import COVERAGE


def span(line_no: int, host: str, from_us: int, to_us: int) -> pl.DataFrame:
    """One unbroken interval, of instants in microseconds since 1970, UTC."""
    row = {"line_no": line_no, "host": host, "from_at": from_us, "to_at": to_us}
    at = pl.col("from_at", "to_at").cast(pl.Datetime("us"))
    return pl.DataFrame([row]).with_columns(at).select(COVERAGE.names()).cast(COVERAGE)


def so_far(proof: pl.DataFrame, host: str, last_us: int | None) -> tuple[pl.DataFrame, int | None]:
    """From the first instant of a file to the latest so far, and that: of a log that is written at each event.

    `proof` has `line_no` and `at`; `last_us` is the latest instant before, in microseconds.
    """
    if not proof.height:
        return pl.DataFrame(schema=COVERAGE), last_us
    at = proof["at"].to_physical()
    begin = int(at[0]) if last_us is None else last_us
    last_us = max(begin, int(at.max()))  # type: ignore[arg-type]
    return span(proof["line_no"][0], host, begin, last_us), last_us


def reached(rows: pl.DataFrame, known: dict[str, int]) -> tuple[pl.DataFrame, dict[str, int]]:
    """The time covered per host, from the earliest `from_at` to the latest `to_at` so far.

    Only for files whose rows cover everything in between. `rows` has `line_no`, `host`, `from_at` and `to_at`. `known`
    holds the latest instant per host before, in microseconds, and is returned up to date.
    """
    found = (
        rows.filter(pl.col("host").is_not_null())
        .with_columns(to_at=pl.max_horizontal("from_at", "to_at"))
        .group_by("host")
        .agg(pl.col("line_no").min(), pl.col("from_at").min(), pl.col("to_at").max())
        .sort("host")
    )
    before = pl.Series("before", [known.get(host) for host in found["host"]], dtype=pl.Int64).cast(pl.Datetime("us"))
    found = found.with_columns(before).with_columns(
        from_at=pl.min_horizontal("from_at", "before"), to_at=pl.max_horizontal("to_at", "before")
    )
    latest = dict(zip(found["host"], found["to_at"].to_physical(), strict=True))
    return found.select(COVERAGE.names()).cast(COVERAGE), {**known, **latest}


def unbroken(records: pl.DataFrame) -> pl.DataFrame:
    """The intervals that samples cover without a break: `line_no`, `host`, `from_at`, `to_at` in order of time."""
    is_begin = records.select((pl.col("from_at") != pl.col("to_at").shift(1)).fill_null(True)).to_series()
    ends = records.filter(is_begin.shift(-1, fill_value=True))["to_at"]
    return records.filter(is_begin).select("line_no", "host", "from_at").with_columns(ends).cast(COVERAGE)


def joined(parts: list[pl.DataFrame]) -> pl.DataFrame:
    """Intervals that touch or overlap as one, per host; `line_no` is the smallest of theirs."""
    if not parts:
        return pl.DataFrame(schema=COVERAGE)
    rows = pl.concat(parts).sort("host", "from_at", "to_at")
    reached = pl.col("to_at").cum_max().shift(1).over("host")
    begins = (pl.col("from_at") > reached).fill_null(True)
    return (
        rows.with_columns(run=begins.cast(pl.Int64).cum_sum().over("host"))
        .group_by("host", "run", maintain_order=True)
        .agg(pl.col("line_no").min(), pl.col("from_at").min(), pl.col("to_at").max())
        .select(COVERAGE.names())
    )
