"""From when to when a file speaks for its host."""

import polars as pl

from pipelines.sources.protocol import COVERAGE

_MINUTE_US = 60_000_000
_YEAR_US = 366 * 24 * 60 * _MINUTE_US


def coverage_of(
    ticks: pl.DataFrame, host: str, last_at: int | None, silence_us: int = _MINUTE_US, until: str = "at"
) -> pl.DataFrame:
    """Intervals in which a log was being written: no silence of over a minute, or `silence_us`, between neighbours.

    `ticks` has `line_no` and `at`, and the column `until` where a line proves more than its instant; `last_at` is the
    instant, in microseconds, of the last line before.
    """
    ticks = ticks.filter(pl.col("at").is_not_null())
    before, is_new = _before(pl.col("at").to_physical(), last_at, silence_us)
    return (
        ticks.with_columns(is_new=is_new, before=before.cast(pl.Datetime("us")))
        .with_columns(group=pl.col("is_new").cum_sum(), before=pl.when(~pl.col("is_new")).then("before"))
        .group_by("group", maintain_order=True)
        .agg(
            line_no=pl.col("line_no").first(),
            host=pl.lit(host),
            from_at=pl.min_horizontal("at", "before").min(),
            to_at=pl.max_horizontal(until, "before").max(),
        )
        .select(COVERAGE.names())
        .cast(COVERAGE)
    )


def _before(at: pl.Expr, last_us: int | None, silence_us: int) -> tuple[pl.Expr, pl.Expr]:
    """The instant of the line before, and whether the time between the two is silence."""
    before = at.shift(1).fill_null(pl.lit(last_us, pl.Int64))
    return before, ((at - before).abs() > silence_us).fill_null(True)


def so_far(proof: pl.DataFrame, host: str, last_us: int | None) -> tuple[pl.DataFrame, int | None]:
    """From the first instant of a file to the latest so far, and that: of a log of events.

    `proof` has `line_no` and `at`; `last_us` is the latest instant before, in microseconds. Silence of over a year
    is not covered, or one damaged date would cover decades.
    """
    if not proof.height:
        return pl.DataFrame(schema=COVERAGE), last_us
    _, is_new = _before(pl.col("us"), last_us, _YEAR_US)
    runs = proof.select(us=pl.col("at").to_physical()).with_columns(run=is_new.cum_sum())
    # a line may be about what began before the file, and proves nothing of that time
    own = pl.col("us").cum_max().over("run")
    latest = pl.max_horizontal(own, pl.when(pl.col("run") == 0).then(pl.lit(last_us, pl.Int64)))
    proof = proof.with_columns(runs.select(at=latest.cast(pl.Datetime("us"))))
    return coverage_of(proof, host, last_us, _YEAR_US), int(proof["at"].to_physical()[-1])


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
