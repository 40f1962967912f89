"""Where a run of samples begins: its first row holds averages since boot."""

from datetime import datetime, timedelta

import polars as pl

from pipelines.records import Carry

_DUE_ROWS = 21  # not on a terminal, vmstat prints its header every 21 rows
_LOW_WINDOW = 15  # rows of the lowest terminal window believed
_NO_HEADER, _DUE, _PERHAPS_DUE, _NOT_DUE = 0, 1, 2, 3
_MEMORY = 5  # steps that tell the usual one
START: Carry = {"due": _NO_HEADER, "at": None, "steps": []}


def find_runs(rows: pl.DataFrame, headers: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Add `from_at`, `is_start`, `is_record` and a reason to rows that stand still; remember times in `state`."""
    columns = {"at": pl.col("at"), "is_counted": pl.col("local").is_null()}
    is_dated = rows["at"].is_not_null()
    timed = (rows if is_dated.all() else rows.filter(is_dated)).select("line_no", **columns)
    timed = _dues(timed, headers, state)
    at = pl.col("at")
    timed = timed.with_columns(from_at=at.shift(1).fill_null(pl.lit(_instant(state["at"]), dtype=pl.Datetime("us"))))
    timed = timed.with_columns(step=(at - pl.col("from_at")).dt.total_microseconds())
    timed = timed.with_columns(_usual_steps(timed, state)).with_columns(is_start=_is_start())
    if timed.height:
        state["at"] = timed["at"].dt.epoch("us")[-1]
    found = timed.select("line_no", "from_at", "step", "is_start")
    if found.height == rows.height:
        rows = rows.hstack(found.drop("line_no"))
    else:
        rows = rows.join(found, on="line_no", how="left", maintain_order="left")
    is_still = pl.col("reason").is_null() & ~pl.col("is_start") & (pl.col("step") == 0)
    rows = rows.with_columns(reason=pl.when(is_still).then(pl.lit("out_of_order")).otherwise("reason"))
    return rows.with_columns(is_record=(pl.col("reason").is_null() & ~pl.col("is_start")).fill_null(False))


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
    before = state["steps"]
    is_steady = bool(before) and before == before[:1] * _MEMORY
    if is_steady and (timed["due"] != _NOT_DUE).all() and (timed["step"] == before[0]).all():
        return pl.Series("usual", before[:1], dtype=pl.Float64).new_from_index(0, timed.height)
    known = pl.DataFrame({"step": pl.Series(before, dtype=pl.Int64), "run": [0] * len(before)})
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
