"""Where a run of samples begins: its first row holds averages since boot.

A header precedes each run, and is repeated every 21 rows, or at the height of a terminal. The figures of the row below
such a header decide whether it is a run's first. Averages since boot hardly change from run to run, so the first row is
near the row below the header before, back to the run that the file or a gap begins; and it is no more like the row
above.
"""

import polars as pl

from pipelines.sources._shared.stamps import from_microseconds
from pipelines.sources.protocol import Carry

_DUE_ROWS = 21  # not on a terminal, vmstat prints its header every 21 rows
_LOW_WINDOW, _TALL_WINDOW = 15, 120  # rows of the lowest and tallest terminal window believed
_NO_HEADER, _DUE, _PERHAPS_DUE, _FIRST_DUE, _NOT_DUE = 0, 1, 2, 3, 4
_MEMORY = 5  # steps that give the usual one
# Averages since boot of two runs differ by no more than this: shares, and a part of rates, or a few of their units.
_SHARES = ("cpu_user", "cpu_system", "cpu_idle")
_RATES = {"read_bytes_s": 2048.0, "write_bytes_s": 2048.0, "interrupt_rate": 2.0, "switch_rate": 2.0}
_NEAR_SHARE, _NEAR_PART = 0.03, 0.25
_FIGURES = (*_SHARES, *_RATES)
START: Carry = {"due": _NO_HEADER, "at": None, "steps": [], "above": None, "below": None, "is_chain": True}


def find_runs(rows: pl.DataFrame, headers: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Add `from_at`, `is_start`, `is_record` and a reason to rows at the same instant; update times in `state`."""
    columns = {"at": pl.col("at"), "is_counted": pl.col("local").is_null(), **{name: pl.col(name) for name in _FIGURES}}
    is_dated = rows["at"].is_not_null()
    timed = (rows if is_dated.all() else rows.filter(is_dated)).select("line_no", **columns)
    timed = _dues(timed, headers, state)
    at = pl.col("at")
    timed = timed.with_columns(
        from_at=at.shift(1).fill_null(pl.lit(from_microseconds(state["at"]), dtype=pl.Datetime("us")))
    )
    timed = timed.with_columns(step=(at - pl.col("from_at")).dt.total_microseconds())
    timed = timed.with_columns(_usual_steps(timed, state)).with_columns(is_start=_is_start())
    timed = timed.with_columns(is_start=pl.col("is_start") | _holds_averages(timed, state))
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
    """Whether a header precedes each dated row, and if it was due; the least due of several counts."""
    gap = pl.col("gap")
    due = (
        pl.when(gap == _DUE_ROWS)
        .then(_DUE)
        .when((gap >= _LOW_WINDOW) & (gap == pl.col("last_gap")))
        .then(_PERHAPS_DUE)
        .when(gap.is_between(_LOW_WINDOW, _TALL_WINDOW) & pl.col("last_gap").is_null())
        .then(_FIRST_DUE)
        .otherwise(_NOT_DUE)
    )
    places = timed["line_no"].search_sorted(headers["line_no"]).cast(pl.Int64)
    ahead = headers.select(due=due.cast(pl.Int64), place=places)  # the row that each header precedes
    waiting = int(ahead.filter(place=timed.height)["due"].max() or _NO_HEADER)  # type: ignore[arg-type]
    found = ahead.filter(pl.col("place") < timed.height).group_by("place").agg(pl.col("due").max())
    dues = pl.Series("due", [_NO_HEADER], dtype=pl.Int64).new_from_index(0, timed.height)
    dues = dues.scatter(found["place"], found["due"])
    if timed.height:
        dues[0] = max(dues[0], state["due"])
    state["due"] = waiting if timed.height else max(state["due"], waiting)
    return timed.with_columns(dues)


def _usual_steps(timed: pl.DataFrame, state: Carry) -> pl.Series:
    """The median of the five steps before each row, since the last header that was not due."""
    before = state["steps"]
    is_steady = (
        before[:1] not in ([], [None]) and before == before[:1] * _MEMORY
    )  # null: a stamp was repeated, or ran back
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
    """Rows whose header or time alone shows that they begin a run."""
    step, due, usual = pl.col("step"), pl.col("due"), pl.col("usual")
    is_unusual = ~pl.col("is_counted") & ~step.is_between(0.5 * usual, 1.5 * usual).fill_null(False)
    return (
        step.is_null()
        | (step < 0)
        | (due == _NOT_DUE)
        | ((due != _NO_HEADER) & (step == 0))
        | (due.is_in([_PERHAPS_DUE, _FIRST_DUE]) & is_unusual)
        | (step > 3 * usual).fill_null(False)
    )


def _holds_averages(timed: pl.DataFrame, state: Carry) -> pl.Series:
    """Rows below a header that begin a run by their figures."""
    none = pl.Series("is_start", [False], dtype=pl.Boolean).new_from_index(0, timed.height)
    if not timed.height:
        return none
    above = pl.DataFrame([state["above"] or {}], schema=timed.select(_FIGURES).schema)
    state["above"] = timed.select(_FIGURES).row(-1, named=True)
    is_below = timed.select((pl.col("due") != _NO_HEADER) | pl.col("step").is_null()).to_series()
    if not is_below.any():
        return none
    before = pl.concat([above, timed.select(_FIGURES)])[is_below.arg_true()]
    below = timed.filter(is_below)
    last = pl.DataFrame([state["below"] or {}], schema=above.schema)
    last = pl.concat([last, below.select(_FIGURES)])[:-1]
    state["below"] = below.select(_FIGURES).row(-1, named=True)
    is_like_last, is_like_above = _near(below, last), _near(below, before)
    known = below.select("is_start", "due").with_columns(is_like_last=is_like_last, is_like_above=is_like_above)
    # what is no average since boot ends the chain of those; a run that a gap begins starts another
    chains = known.with_columns(
        chain=pl.col("is_start").cast(pl.Int64).cum_sum(), is_broken=~pl.col("is_start") & ~pl.col("is_like_last")
    ).with_columns(n_broken=pl.col("is_broken").cast(pl.Int64).cum_sum().over("chain"))
    is_chain = (pl.col("n_broken") == 0) & ((pl.col("chain") > 0) | pl.lit(state["is_chain"]))
    is_sure = ~pl.col("is_like_above") | (pl.col("due") == _FIRST_DUE)
    found = chains.select(is_chain=is_chain, is_start=is_chain & pl.col("is_like_last") & is_sure)
    state["is_chain"] = bool(found["is_chain"][-1])
    return none.scatter(is_below.arg_true(), found["is_start"])


def _near(one: pl.DataFrame, other: pl.DataFrame) -> pl.Series:
    """Whether the figures that both rows have are near each other; False where there is none."""
    close = []
    for name in _FIGURES:
        a, b = pl.col(name), pl.col(f"other_{name}")
        most = pl.lit(_NEAR_SHARE) if name in _SHARES else _NEAR_PART * pl.max_horizontal(a, b) + _RATES[name]
        close.append((a - b).abs() <= most)
    pairs = one.select(_FIGURES).hstack(other.select(pl.col(_FIGURES).name.prefix("other_")))
    is_any = pl.any_horizontal(known.is_not_null() for known in close)
    return pairs.select(is_near=is_any & pl.all_horizontal(known.fill_null(True) for known in close)).to_series()
