"""Known errors of the table: wrong figures become null and the row's note gives the reason.

- **Unit of `-S`.** Only the figures show it. In KiB every figure of memory is a number of whole pages, a multiple of 4;
  in units of 1000 bytes or of megabytes few are. If most rows among a file's first lines are not, or sum up to less
  than 8 MiB, all figures of memory and swap of that file are null; elsewhere those of such a row and of the nine after
  it.
- **Frozen memory**, procps 4.0.0 to 4.0.2: memory keeps the figures of a run's first row. Not believed if 20 rows
  among the first lines, or 20 of the run, repeat its first row under the titles of those versions, until they change.
- **Counters that are gone**: procps to 3.1 on Linux 2.6 prints 0 for bi, bo, si and so for ever. Not believed if a
  run's first row, the average since boot, has four zeros under the titles of those versions, until one changes.
- **Guests**, 4.0.0 to 4.0.4: `gu` counts since boot and is taken off `us`. The shares of such a row do not sum to 1.
- **Wrapped** 32-bit counters of interrupts and switches give one row of tens of millions a second.
"""

import re
from collections.abc import Sequence

import polars as pl

from pipelines.primitives.units import KIB
from pipelines.sources.protocol import Carry
from pipelines.sources.vmstat.headers import OLDEST, read_header

UNIT, FROZEN = (
    "memory and swap left out, because the unit of -S is unknown",
    "memory left out, because procps 4.0.0 to 4.0.2 does not update it",
)
GONE, GUEST, WRAPPED = (
    "disk and swap rates left out, because this version of vmstat prints only 0 for them",
    "user and guest time left out, because guest time is counted since boot",
    "wrapped counter",
)

MAY_FREEZE, MAY_BE_BLIND = 1, 2  # eras
_MEMORY = ("swapped_bytes", "free_bytes", "buffer_bytes", "cache_bytes", "inactive_bytes", "active_bytes")
_SWAP = ("swap_in_bytes_s", "swap_out_bytes_s")
_DISK = ("read_bytes_s", "write_bytes_s")
_COUNTERS = ("interrupt_rate", "switch_rate")
_SPOILT = {
    UNIT: (*_MEMORY, *_SWAP),
    FROZEN: _MEMORY,
    GONE: (*_DISK, *_SWAP),
    GUEST: ("cpu_user", "cpu_guest"),
    WRAPPED: _COUNTERS,
}
_SHARES = ("cpu_user", "cpu_system", "cpu_idle", "cpu_wait", "cpu_stolen", "cpu_guest")
_DOUBTED_ROWS = 10  # in doubt from one suspicious row on, which counts too
_STILL_ROWS = 20
_SUM = 0.05  # that rounding to whole percents may move the sum of six shares
_FASTEST = 50e6  # a second: 2^32 within a minute and a half
START: Carry = {
    "odd": [],  # of the last rows
    "is_odd": False,  # from the first lines
    "is_frozen": False,
    "still": None,  # rows of the run that repeat its memory; None if it has changed
    "is_blind": False,
    "last_memory": None,
}


def era_of(group: str, names: Sequence[str]) -> int:
    """Which defects of versions a header's lines leave possible."""
    if "st" not in names:
        return MAY_BE_BLIND if "--system-- ----cpu----" in group or tuple(names) == OLDEST else 0
    title = " ----------cpu---------- " if "gu" in names else " -system-- ------cpu----- "
    return MAY_FREEZE if title in f"{group} " else 0


def first_doubts(flats: Sequence[str]) -> Carry:
    """The unit of memory by a file's first lines, and whether its figures stay the same."""
    names: tuple[str, ...] = ()
    group, era = "", 0
    suspicious: list[bool] = []
    memory: list[list[int]] = []
    for flat in flats:
        header = None if flat[:1].isdigit() else read_header(flat)
        if header:
            names, era = header.names, era_of(group, header.names)
            if memory and len(memory) <= _STILL_ROWS:
                memory = []  # too few to decide
        elif "memory" in flat:
            group = flat
        elif "swpd" in names and re.match(r"\d", flat):
            words = dict(zip(names, flat.split(" "), strict=False))
            figures = [words.get(name, "x") for name in ("swpd", *_in_memory(names))]
            if all(re.fullmatch(r"\d{1,18}", figure) for figure in figures):
                values = [int(figure) for figure in figures]
                suspicious.append(
                    any(value % 4 for value in values) or ("w" not in names and sum(values[1:]) < 8 * KIB)
                )
                if era == MAY_FREEZE:
                    memory.append(values)
    is_frozen = len(memory) > _STILL_ROWS and all(values == memory[0] for values in memory)
    return {"is_odd": 2 * sum(suspicious) > len(suspicious), "is_frozen": is_frozen}


def _in_memory(names: Sequence[str]) -> tuple[str, str, str]:
    return ("free", "inact", "active") if "inact" in names else ("free", "buff", "cache")


def mark(rows: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """Rows with `note`, and null where their figures are not believed.

    `rows` has `is_start`, `is_suspicious` and `era`.
    """
    is_good = rows["reason"].is_null() & rows["at"].is_not_null()
    good = rows if is_good.all() else rows.filter(is_good)
    doubts = pl.DataFrame(
        {
            UNIT: _in_other_units(good["is_suspicious"], state),
            FROZEN: _frozen(good, state),
            GONE: _blind(good, state),
            GUEST: _with_guests(good),
            WRAPPED: good.select((pl.max_horizontal(_COUNTERS) > _FASTEST).fill_null(False)).to_series(),
        }
    )
    found = [name for name in doubts.columns if doubts[name].any()]
    if not found:
        return rows.with_columns(note=pl.lit(None, dtype=pl.String))
    doubts = good.select("line_no").hstack(doubts.select(found))
    rows = rows.join(doubts, on="line_no", how="left", maintain_order="left").with_columns(
        pl.col(found).fill_null(False)
    )
    notes = [pl.when(name).then(pl.lit(name)) for name in found]
    note = pl.concat_str(notes, separator="; ", ignore_nulls=True)
    rows = rows.with_columns(note=pl.when(note != "").then(note))
    for name in found:
        rows = rows.with_columns(pl.when(~pl.col(name)).then(pl.col(column)).alias(column) for column in _SPOILT[name])
    return rows.drop(found)


def _in_other_units(suspicious: pl.Series, state: Carry) -> pl.Series:
    before = state["odd"]
    state["odd"] = [*before, *suspicious.tail(_DOUBTED_ROWS).to_list()][-_DOUBTED_ROWS:]
    if state["is_odd"] or not (suspicious.any() or any(before)):
        return pl.Series([bool(state["is_odd"])]).new_from_index(0, suspicious.len())
    flags = pl.concat([pl.Series("is_suspicious", before, dtype=pl.Boolean), suspicious]).cast(pl.Int64)
    return flags.rolling_max(_DOUBTED_ROWS, min_samples=1).tail(suspicious.len()) > 0


def _frozen(good: pl.DataFrame, state: Carry) -> pl.Series:
    before, state["last_memory"] = state["last_memory"], list(good.select(_MEMORY).row(-1)) if good.height else None
    if not good.height:
        state["last_memory"] = before
        return pl.Series([], dtype=pl.Boolean)
    if state["still"] is None and not good["is_start"].any():
        return pl.Series([False]).new_from_index(0, good.height)
    same = pl.all_horizontal(pl.col(name).eq_missing(pl.col(name).shift(1)) for name in _MEMORY)
    is_first_same = list(good.select(_MEMORY).row(0)) == before
    is_first = pl.int_range(pl.len()) == 0
    is_changed = ~pl.when(is_first).then(pl.lit(is_first_same)).otherwise(same) & ~pl.col("is_start")
    changes = good.select("is_start", is_break=is_changed | (pl.col("era") != MAY_FREEZE))
    is_still = _unbroken(changes, state["still"] is not None)
    place = pl.int_range(pl.len())
    begin = pl.when("is_start").then(place).forward_fill().fill_null(-1 - (state["still"] or 0))
    still_rows = good.select(place - begin).to_series()
    state["still"] = int(still_rows[-1]) if is_still[-1] else None
    return is_still & (still_rows >= (1 if state["is_frozen"] else _STILL_ROWS))


def _blind(good: pl.DataFrame, state: Carry) -> pl.Series:
    is_era = pl.col("era") == MAY_BE_BLIND
    if not good.height or (not state["is_blind"] and not good.select(is_era.any()).item()):
        return pl.Series([False]).new_from_index(0, good.height)
    is_zero = is_era & pl.all_horizontal(pl.col(*_DISK, *_SWAP) == 0)
    is_blind = _unbroken(good.select("is_start", is_break=~is_zero.fill_null(False)), state["is_blind"])
    state["is_blind"] = is_blind[-1]
    return is_blind


def _unbroken(rows: pl.DataFrame, was_unbroken: bool) -> pl.Series:
    """Rows of a run none of which breaks it, from its start to here."""
    breaks = pl.col("is_break").cast(pl.Int64)
    base = pl.when("is_start").then(breaks.cum_sum() - breaks).forward_fill().fill_null(0 if was_unbroken else -1)
    return rows.select(breaks.cum_sum() == base).to_series()


def _with_guests(good: pl.DataFrame) -> pl.Series:
    if good["cpu_guest"].null_count() == good.height:
        return pl.Series([False]).new_from_index(0, good.height)
    is_off = (pl.sum_horizontal(_SHARES) - 1).abs() > _SUM
    return good.select(((pl.col("cpu_guest") > 0) & is_off).fill_null(False)).to_series()
