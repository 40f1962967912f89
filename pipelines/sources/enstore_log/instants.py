"""Clock times of log lines into UTC instants: which day, and which pass of the hour that repeats in autumn.

Only the first line of each run of equal stamps comes here (a tick). Everything is a difference to the tick before,
summed or filled forward, so that a chunk needs nothing of earlier ones but its predecessor's last tick.
"""

from datetime import date, datetime, time, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import polars as pl

from pipelines.primitives.clock import DAY_S, to_utc
from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.stamps import second_pass
from pipelines.sources.enstore_log.lines import stamps_of
from pipelines.sources.protocol import Origin

_HALF_DAY_S = DAY_S // 2
_STRAGGLER_S = 300  # a line of before midnight comes at most so late
_FOLD_BACK_S = 600  # swapped lines step back by seconds, the autumn clock by most of an hour
_FOLD_FORTH_S = 3540  # a straggler of the first pass within the first minute of the second
_UNKNOWN = -1  # pass of the repeated hour
_MOST_DAYS = 400  # a file that claims more midnights is garbage, and dates have an end
_FIXED_ZONES = ("UTC", "Etc/UTC", "GMT")


def place(ticks: pl.DataFrame, origin: Origin, memory: dict[str, Any]) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Add `at` (UTC; NULL where the clock cannot be read, or of two hours either could be meant) to ticks; the memory.

    Raises UnreadableFile where lines without a date come from a file without one.
    """
    memory = memory or _begin(origin, ticks)
    ticks = _read(ticks)
    if memory["day"] is None and ticks.filter(pl.col("date").is_null() & pl.col("second").is_not_null()).height:
        raise UnreadableFile(
            f"{origin.path or 'the log'} has times of day but no date",
            "name the files LOG-YYYY-MM-DD and use a glob with {date}, or give `date` in the [[input]] of site.toml",
            reason="no_clock",
        )
    ticks = _passes(_days(ticks, memory), origin.zone, memory)
    return ticks, _remember(ticks, memory)


def _begin(origin: Origin, ticks: pl.DataFrame) -> dict[str, Any]:
    """What is known before the first line. The head decides, as it is the same wherever the file is cut."""
    head = stamps_of(pl.DataFrame({"text": origin.head}, schema={"text": pl.String}))
    stamps = _read(head if head.height else ticks.head(200))
    is_dated = stamps["stamp"].str.len_bytes() > 8
    clocks = stamps.filter(~is_dated)["second"].drop_nulls().to_list()
    day = origin.date or next(iter(stamps["date"].drop_nulls()), None)
    begins_late = bool(clocks) and DAY_S - clocks[0] <= _STRAGGLER_S and min(clocks) < _HALF_DAY_S
    offset = -1 if begins_late and origin.date else 0
    return {
        "day": day.isoformat() if day else None,
        "offset": offset,
        "second": None,
        "local": None,
        "is_twice": False,
        "pass": _first_pass(day, clocks, origin.zone) if day and not (is_dated.any() or offset) else 0,
        "at": None,
    }


def _first_pass(day: date, clocks: list[int], zone: str) -> int:
    """The pass of the repeated hour in which a file begins, a later part of a log; unknown where its head has no proof.

    The clock steps back at the end of the first pass, and leaves the hour at the end of the second.
    """
    begin = datetime.combine(day, time())
    if not clocks or clocks[0] < _STRAGGLER_S or not _is_twice(begin + timedelta(seconds=clocks[0]), zone):
        return 0
    for before, clock in pairwise(clocks):
        if clock - before <= -_FOLD_BACK_S:
            return 0
        if clock - before >= _FOLD_FORTH_S:
            return 1
        if clock - before >= _FOLD_BACK_S:
            return _UNKNOWN
        if not _is_twice(begin + timedelta(seconds=clock), zone):
            return 1 if clock > before else 0
    return _UNKNOWN


def _is_twice(local: datetime, zone: str) -> bool:
    early, late = (local.replace(tzinfo=ZoneInfo(zone), fold=fold).utcoffset() for fold in (0, 1))
    return early is not None and late is not None and early > late


def _read(ticks: pl.DataFrame) -> pl.DataFrame:
    """Stamps as `date` (NULL for lines without one) and `second` of the day (NULL for an impossible clock)."""
    stamp = pl.col("stamp")
    hour, minute, second = (stamp.str.slice(at, 2).cast(pl.Int64, strict=False) for at in (-8, -5, -2))
    is_dated = stamp.str.len_bytes() > 8
    day = pl.when(is_dated).then(stamp.str.slice(0, 10)).str.to_date("%Y-%m-%d", strict=False)
    is_clock = (hour < 24) & (minute < 60) & (second < 60)
    return ticks.with_columns(
        date=day,
        second=pl.when(is_clock & (day.is_not_null() | ~is_dated)).then(hour * 3600 + minute * 60 + second),
    )


def _days(ticks: pl.DataFrame, memory: dict[str, Any]) -> pl.DataFrame:
    """The local time of each tick: a step back of half a day is midnight, one forward just after it a straggler."""
    clock = pl.when(pl.col("date").is_null()).then("second")
    before = clock.forward_fill().shift(1).fill_null(pl.lit(memory["second"], pl.Int64))
    is_straggler = (clock - before > _HALF_DAY_S) & (before + DAY_S - clock <= _STRAGGLER_S)
    step = pl.when(clock - before < -_HALF_DAY_S).then(1).when(is_straggler).then(-1).otherwise(0)
    first = pl.lit(date.fromisoformat(memory["day"]) if memory["day"] else None, pl.Date)
    offset = pl.col("offset")
    day = pl.coalesce("date", pl.when(offset.abs() <= _MOST_DAYS).then(first + pl.duration(days=offset)))
    return ticks.with_columns(offset=(step.cum_sum() + memory["offset"]).cast(pl.Int64)).with_columns(
        local=day.cast(pl.Datetime("us")) + pl.duration(seconds="second")
    )


def _passes(ticks: pl.DataFrame, zone: str, memory: dict[str, Any]) -> pl.DataFrame:
    """UTC instants; in the hour that repeats, the step back of the clock separates the second pass from the first."""
    local = pl.col("local")
    if zone in _FIXED_ZONES:
        return ticks.with_columns(at=local, is_twice=pl.lit(False), fold=pl.lit(0))
    ticks = ticks.with_columns(early=to_utc(local, zone), late=second_pass(local, zone))
    ticks = ticks.with_columns(is_twice=(pl.col("early") != pl.col("late")).fill_null(False))
    before = local.to_physical().forward_fill().shift(1).fill_null(pl.lit(memory["local"], pl.Int64))
    step = (local.to_physical() - before) / 1_000_000
    was_twice = pl.when(local.is_not_null()).then("is_twice").forward_fill().shift(1).fill_null(memory["is_twice"])
    is_winter = pl.col("early").dt.replace_time_zone("UTC").dt.convert_time_zone(zone).dt.dst_offset() == pl.duration(
        seconds=0
    )
    fold = (
        # Summer time holds before the repeated hour, winter time after it: so its stragglers find their pass.
        pl.when(~pl.col("is_twice"))
        .then(is_winter.cast(pl.Int64))
        .when(was_twice & (step <= -_FOLD_BACK_S))
        .then(1)
        .when(was_twice & (step >= _FOLD_FORTH_S))
        .then(0)
        .forward_fill()
        .fill_null(memory["pass"])
    )
    return ticks.with_columns(fold=fold).with_columns(
        at=pl.when(~pl.col("is_twice") | (pl.col("fold") == 0)).then("early").when(pl.col("fold") == 1).then("late")
    )


def _remember(ticks: pl.DataFrame, memory: dict[str, Any]) -> dict[str, Any]:
    def last(column: str, of: pl.DataFrame) -> Any:
        return of[column].to_physical()[-1]

    after = dict(memory)
    undated = ticks.filter(pl.col("date").is_null() & pl.col("second").is_not_null())
    if undated.height:
        after |= {"second": last("second", undated), "offset": last("offset", ticks)}
    stood = ticks.filter(pl.col("at").is_not_null() | (pl.col("fold") == _UNKNOWN))
    if stood.height:
        after |= {
            name: last(of, stood) for name, of in (("local", "local"), ("is_twice", "is_twice"), ("pass", "fold"))
        }
    placed = ticks.filter(pl.col("at").is_not_null())
    if placed.height:
        after |= {"at": last("at", placed)}
    return after
