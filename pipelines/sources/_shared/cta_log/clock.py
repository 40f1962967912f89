"""When a line was written, in UTC.

JSON and the stamps of rsyslog are exact. The text form has the local time without year or zone: the zone is that of
`site.toml`, the year that of the day nearest to what is known of the file's date.
"""

import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.stamps import MONTH_NUMBERS, Fold, instants, read_stamp
from pipelines.sources.protocol import Origin

_ISO = r"^([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?(Z|[+-][0-9]{2}:?[0-9]{2})$"
_LOCAL = r"^[A-Z][a-z]{2} [ 0-9][0-9] [0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,9})?$"
_SECOND_CHARS = len("Aug 25 09:58:12")
_ROTATED = re.compile(r"[-.](\d{4})(-?)(\d\d)\2(\d\d)(?:-\d{9,11})?(?:\.\w{1,4}){0,2}$")
_EPOCH = re.compile(r'update_(?:session|start|mount|transfer)StartTime\\?"?[=:]\s*\\?"?(1\d{9}|2\d{9})\b')
_DAY = re.compile(r"^(?:<\d{1,3}>1? ?)?(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d:\d\d")  # what the journal or syslog puts before
_FIRST, _LAST = datetime(1980, 1, 1), datetime(2100, 1, 1)
_HALF_YEAR = 186  # in days, of months of 31
_AT = pl.Datetime("us")


class Near(NamedTuple):
    """A day of the local calendar, and whether lines may be later."""

    day: date
    is_last: bool


def epoch_us(text: pl.Expr) -> pl.Expr:
    """Seconds since 1970 with up to nine decimals, as whole microseconds; further digits are cut off."""
    parts = text.str.splitn(".", 2).struct
    return parts.field("field_0").cast(pl.Int64, strict=False) * 1_000_000 + _microseconds(parts.field("field_1"))


def dated(rows: pl.DataFrame, origin: Origin, fold: Fold | None) -> tuple[pl.DataFrame, Fold | None]:
    """Add `logged_at` to lines with `epoch` and `stamp`; null where the clock cannot be read.

    Raises UnreadableFile if lines have no year and nothing else in the file or its origin gives it.
    """
    by_epoch = pl.col("epoch").cast(_AT)
    is_local = pl.col("epoch").is_null() & pl.col("stamp").str.contains(_LOCAL)
    rows = rows.with_columns(is_local=is_local.fill_null(False))
    exact, local = rows.filter(~pl.col("is_local")), rows.filter("is_local")
    at = pl.coalesce(by_epoch, _instant(pl.col("stamp")))
    parts = [exact.with_columns(logged_at=pl.when(at.is_between(_FIRST, _LAST)).then(at))]
    if local.height:
        local = _with_local(local, _nearest(origin)).with_columns(word=pl.lit(""))
        good = local.filter(pl.col("local").is_not_null())
        found, fold = instants(good.select("local", "word"), origin.zone, fold)
        bad = local.filter(pl.col("local").is_null()).with_columns(logged_at=pl.lit(None, _AT))
        parts += [part.drop("local", "word") for part in (good.with_columns(logged_at=found), bad)]
    return pl.concat(parts).drop("is_local").sort("line_no"), fold


def _instant(stamp: pl.Expr) -> pl.Expr:
    parts = stamp.str.extract_groups(_ISO).struct
    offset = pl.when(parts.field("3") == "Z").then(pl.lit("+00:00")).otherwise(parts.field("3"))
    whole = (parts.field("1") + offset).str.to_datetime("%Y-%m-%dT%H:%M:%S%z", strict=False, time_unit="us")
    return whole.dt.replace_time_zone(None) + pl.duration(microseconds=_microseconds(parts.field("2")))


def _microseconds(fraction: pl.Expr) -> pl.Expr:
    return fraction.fill_null("").str.head(6).str.pad_end(6, "0").cast(pl.Int64)


def _with_local(rows: pl.DataFrame, near: Near) -> pl.DataFrame:
    """Add `local`, the local time; many lines share a second, which is read once."""
    rows = rows.with_columns(second=pl.col("stamp").str.head(_SECOND_CHARS))
    seconds = rows.select(pl.col("second").unique())
    seconds = seconds.with_columns(local=_local(pl.col("second"), near))
    rows = rows.join(seconds, on="second", how="left", maintain_order="left")
    fraction = _microseconds(pl.col("stamp").str.slice(_SECOND_CHARS + 1))
    return rows.with_columns(pl.col("local") + pl.duration(microseconds=fraction)).drop("second")


def _local(second: pl.Expr, near: Near) -> pl.Expr:
    """Local times of stamps without year and fraction."""
    month = second.str.head(3).replace_strict(MONTH_NUMBERS, default=None, return_dtype=pl.Int64)
    day = second.str.slice(4, 2).str.strip_chars().cast(pl.Int64, strict=False)
    ahead = month * 31 + day - (near.day.month * 31 + near.day.day)
    is_before = ahead > (0 if near.is_last else _HALF_YEAR)
    is_after = pl.lit(False) if near.is_last else ahead < -_HALF_YEAR
    year = near.day.year - is_before.cast(pl.Int64) + is_after.cast(pl.Int64)
    return read_stamp(pl.concat_str(year, pl.lit(" "), second), "%Y %b %e %H:%M:%S")


def _nearest(origin: Origin) -> Near:
    """What is known of the file's date: of the input, its rotated name, an epoch among its first lines, or its end."""
    if origin.date is not None:
        return Near(origin.date, False)
    if match := _ROTATED.search(origin.path):
        try:
            return Near(date(*map(int, match.group(1, 3, 4))), False)
        except ValueError:
            pass
    zone = ZoneInfo(origin.zone)
    for line in origin.head:
        if match := _EPOCH.search(line):
            return Near(datetime.fromtimestamp(int(match[1]), zone).date(), False)
        if match := _DAY.match(line):
            with suppress(ValueError):
                return Near(date.fromisoformat(match[1]), False)
    if origin.modified_at is not None:
        written = origin.modified_at.replace(tzinfo=origin.modified_at.tzinfo or UTC)
        # a day and more for clocks that run ahead
        return Near((written.astimezone(zone) + timedelta(days=2)).date(), True)
    raise UnreadableFile(
        "the log lines have no year",
        "give `date` in the file's [[input]] of site.toml, or configure the daemon to log JSON",
        reason="no_clock",
    )
