"""The rows of vmstat: fields into columns, and where a run of samples begins."""

from datetime import datetime, timedelta

import polars as pl

from pipelines.records import SEEN, Carry
from pipelines.sources._stamps import read_stamp
from pipelines.sources._vmstat_header import LAYOUTS, WIDEST
from pipelines.units import KIB

_SHAPE = r"^\d+-\d+-\d+ \d+:\d+:\d+( \S+)?$"
_NARROWEST = min(len(names) for names in LAYOUTS)
_LARGEST = 2**52  # KiB: larger ones are no memory of any host, and would not fit once in bytes
_COUNT, _SIZE, _RATE, _SHARE = "count", "size", "rate", "share"
_TYPES = {_COUNT: pl.Int32, _SIZE: pl.Int64, _RATE: pl.Float64, _SHARE: pl.Float64}
_FIELDS = {
    "run_queue": ("r", _COUNT, 1),
    "blocked": ("b", _COUNT, 1),
    "swapped_bytes": ("swpd", _SIZE, KIB),
    "free_bytes": ("free", _SIZE, KIB),
    "buffer_bytes": ("buff", _SIZE, KIB),
    "cache_bytes": ("cache", _SIZE, KIB),
    "inactive_bytes": ("inact", _SIZE, KIB),
    "active_bytes": ("active", _SIZE, KIB),
    "swap_in_bytes_s": ("si", _RATE, KIB),
    "swap_out_bytes_s": ("so", _RATE, KIB),
    "read_bytes_s": ("bi", _RATE, KIB),
    "write_bytes_s": ("bo", _RATE, KIB),
    "interrupt_rate": ("in", _RATE, 1),
    "switch_rate": ("cs", _RATE, 1),
    "cpu_user": ("us", _SHARE, 1),
    "cpu_system": ("sy", _SHARE, 1),
    "cpu_idle": ("id", _SHARE, 1),
    "cpu_wait": ("wa", _SHARE, 1),
    "cpu_stolen": ("st", _SHARE, 1),
    "cpu_guest": ("gu", _SHARE, 1),
}
COLUMNS = tuple(_FIELDS)

_DUE_ROWS = 21  # not on a terminal, vmstat prints its header every 21 rows
_LOW_WINDOW = 15  # rows of the lowest terminal window believed
_NO_HEADER, _DUE, _PERHAPS_DUE, _NOT_DUE = 0, 1, 2, 3
_MEMORY = 5  # steps that tell the usual one


def split(rows: pl.DataFrame) -> pl.DataFrame:
    """Fields by the layout of each row, its stamp (`local`, `word`), and why it is rejected."""
    layouts = rows["layout"].unique().to_list() or [None]
    parts = [
        _split_known(rows.filter(layout=layout), LAYOUTS[layout])
        if layout is not None
        else _split_unknown(rows.filter(pl.col("layout").is_null()))
        for layout in layouts
    ]
    return parts[0] if len(parts) == 1 else pl.concat(parts).sort("line_no")


def _split_known(rows: pl.DataFrame, names: tuple[str, ...]) -> pl.DataFrame:
    fields = rows["flat"].str.splitn(" ", len(names) + 1).struct.rename_fields([*names, "rest"]).struct.unnest()
    numbers = fields.select(pl.col(names).cast(pl.Int64, strict=False)).select(_believed(name) for name in names)
    rest = pl.col("rest")
    tail = fields.select(
        "rest",
        is_narrow=pl.col(names[-1]).is_null(),
        is_bad=numbers.select(pl.any_horizontal(pl.all().is_null())).to_series(),
        local=read_stamp(rest.str.head(19)),
        behind=rest.str.slice(19),
        is_stamped=rows["is_stamped"],
        zone=rows["zone"],
    ).with_columns(local=pl.when(pl.col("behind").str.contains(r"^( \S+)?$")).then("local"))
    reason = (
        pl.when(pl.col("is_narrow") | (rest.is_null() & pl.col("is_stamped")))
        .then(pl.lit("wrong_width"))
        .when(rest.is_not_null() & pl.col("local").is_null())
        .then(pl.when(rest.str.contains(_SHAPE)).then(pl.lit("bad_time")).otherwise(pl.lit("wrong_width")))
        .when("is_bad")
        .then(pl.lit("bad_number"))
    )
    word = pl.when(pl.col("behind").str.len_bytes() > 1).then(pl.col("behind").str.slice(1)).otherwise("zone")
    told = tail.select(reason=reason, local="local", word=word)
    if (told["reason"] == "wrong_width").any():  # its stamp still bounds the next row
        at_end = rows.select(at_end=read_stamp(pl.col("flat").str.tail(19))).to_series()
        told = told.with_columns(local=pl.when(reason="wrong_width").then(at_end).otherwise("local"))
    return rows.select("line_no", "text", "rank", "is_stamped").hstack(told).hstack(_columns(numbers))


def _believed(name: str) -> pl.Expr:
    """A field's number if the warehouse can hold it."""
    largest = 2**31 - 1 if name in ("r", "b", "w") else _LARGEST
    return pl.when(pl.col(name).is_between(0, largest)).then(name)


def _columns(numbers: pl.DataFrame) -> pl.DataFrame:
    """The contract's columns; null where the layout has no such field.

    Polars divides many values by one number through its reciprocal, but a single value truly, so that a row's share
    would depend on the chunk it came in: hence a column of hundreds.
    """
    return numbers.with_columns(hundred=pl.int_range(pl.len()) * 0 + 100).select(
        (_scaled(field, kind, factor) if field in numbers.columns else pl.lit(None)).cast(_TYPES[kind]).alias(column)
        for column, (field, kind, factor) in _FIELDS.items()
    )


def _scaled(field: str, kind: str, factor: int) -> pl.Expr:
    if kind == _SHARE:
        return pl.col(field) / pl.col("hundred")
    return pl.col(field) * factor if factor != 1 else pl.col(field)


def _split_unknown(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows above any header: rejected, though they count as steps of the clock."""
    width = pl.col("flat").str.count_matches(" ") + 1
    is_like = width.is_between(_NARROWEST, WIDEST + 3)  # with date, time and zone
    return rows.select(
        "line_no",
        "text",
        "rank",
        "is_stamped",
        reason=pl.when(is_like).then(pl.lit("no_header")).otherwise(pl.lit("bad_syntax")),
        local=pl.lit(None, dtype=pl.Datetime("us")),
        word=pl.lit(""),
        **{column: pl.lit(None, dtype=_TYPES[kind]) for column, (_, kind, _) in _FIELDS.items()},
    )


def find_runs(rows: pl.DataFrame, headers: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Add `from_at`, `is_record` and a reason to rows that stand still; remember times and steps in `state`."""
    timed = rows.filter(pl.col("at").is_not_null()).select("line_no", "at", is_counted=pl.col("local").is_null())
    timed = _dues(timed, headers, state)
    at = pl.col("at")
    timed = timed.with_columns(from_at=at.shift(1).fill_null(pl.lit(_instant(state["at"]), dtype=pl.Datetime("us"))))
    timed = timed.with_columns(step=(at - pl.col("from_at")).dt.total_microseconds())
    timed = timed.with_columns(_usual_steps(timed, state)).with_columns(is_start=_is_start())
    if timed.height:
        state["at"] = timed["at"].dt.epoch("us")[-1]
    return (
        rows.join(
            timed.select("line_no", "from_at", "step", "is_start"), on="line_no", how="left", maintain_order="left"
        )
        .with_columns(
            reason=pl.when(pl.col("reason").is_null() & ~pl.col("is_start") & (pl.col("step") == 0))
            .then(pl.lit("out_of_order"))
            .otherwise("reason")
        )
        .with_columns(is_record=(pl.col("reason").is_null() & ~pl.col("is_start")).fill_null(False))
    )


def _dues(timed: pl.DataFrame, headers: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Whether a header stands before each dated row, and if it was due; the least due of several counts."""
    gap = pl.col("gap")
    is_as_before = (gap >= _LOW_WINDOW) & (gap == pl.col("last_gap"))
    due = pl.when(gap == _DUE_ROWS).then(_DUE).when(is_as_before).then(_PERHAPS_DUE).otherwise(_NOT_DUE)
    ahead = (
        headers.select("line_no", due=due.cast(pl.Int64))
        .set_sorted("line_no")
        .join_asof(timed.select("line_no", row="line_no").set_sorted("line_no"), on="line_no", strategy="forward")
    )
    found = ahead.filter(pl.col("row").is_not_null()).group_by("row").agg(pl.col("due").max())
    waiting = int(ahead.filter(pl.col("row").is_null())["due"].max() or 0)  # type: ignore[arg-type]
    timed = timed.join(found, left_on="line_no", right_on="row", how="left", maintain_order="left")
    first = pl.when(pl.int_range(pl.len()) == 0).then(state["due"]).otherwise(_NO_HEADER)
    state["due"] = waiting if timed.height else max(state["due"], waiting)
    return timed.with_columns(due=pl.max_horizontal(pl.col("due").fill_null(_NO_HEADER), first))


def _usual_steps(timed: pl.DataFrame, state: Carry) -> pl.Series:
    """The median of the five steps before each row, since the last header that was not due."""
    known = pl.DataFrame({"step": pl.Series(state["steps"], dtype=pl.Int64), "run": [0] * len(state["steps"])})
    is_new = pl.col("due") == _NOT_DUE
    fresh = timed.select(step=pl.when((pl.col("step") > 0) & ~is_new).then("step"), run=is_new.cast(pl.Int64).cum_sum())
    steps = pl.concat([known.cast({"run": pl.Int64}), fresh])
    median = pl.col("step").shift(1).rolling_median(_MEMORY, min_samples=1)
    has_new = fresh.height > 0 and fresh["run"][-1] > 0
    usual = steps.select(usual=median.over("run") if has_new else median).to_series().tail(timed.height)
    if fresh.height:
        state["steps"] = steps.filter(run=fresh["run"][-1])["step"].tail(_MEMORY).to_list()
    return usual


def _is_start() -> pl.Expr:
    step, due, usual = pl.col("step"), pl.col("due"), pl.col("usual")
    is_unusual = pl.col("is_counted") | (step > 1.5 * usual).fill_null(True)
    return (
        step.is_null()
        | (step < 0)
        | (due == _NOT_DUE)
        | ((due != _NO_HEADER) & (step == 0))
        | ((due == _PERHAPS_DUE) & is_unusual)
        | (step > 3 * usual).fill_null(False)
    )


def _instant(microseconds: int | None) -> datetime | None:
    return None if microseconds is None else datetime(1970, 1, 1) + timedelta(microseconds=microseconds)


def seen_of(records: pl.DataFrame) -> pl.DataFrame:
    """The unbroken intervals that samples cover."""
    is_begin = records.select((pl.col("from_at") != pl.col("at").shift(1)).fill_null(True)).to_series()
    is_end = is_begin.shift(-1, fill_value=True)
    ends = records.filter(is_end)["at"].alias("to_at")
    return records.filter(is_begin).select("line_no", "host", "from_at").with_columns(ends).cast(SEEN)
