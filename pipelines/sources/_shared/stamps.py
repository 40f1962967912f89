"""Stamps in the local time of a host, with or without a zone after them, into UTC instants.

The zone of a stamp, in this order: `UTC` in the stamp; else the zone that `site.toml` gives, if it is not the default
UTC (abbreviations are ambiguous: CST is Chicago, Havana and Shanghai, and a header's may be stale by the time the
clocks change); else a numeric zone such as `+04` or `-0530`; else UTC.

In the hour that autumn repeats, the first pass is assumed until the stamps jump back by about that hour, or have the
zone's word for the second pass next to them. The word of a header proves nothing, because it may be older: `announced`.
"""

import re
from datetime import UTC, datetime, timedelta
from typing import Any, cast
from zoneinfo import ZoneInfo

import polars as pl

from pipelines.primitives.clock import naive_utc, to_utc

EPOCH = datetime(1970, 1, 1)
LAST_EPOCH = 4_102_444_800  # 2100
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

MONTH_NUMBERS = {name: number for number, name in enumerate(MONTHS, 1)}

# What helps a file whose rows have no date, or no time at all.
GIVE_DATE = "give `date` (the local day of the first row) in the file's [[input]] of site.toml"
GIVE_START = "give `start_at` (the UTC time of the first row) and `interval_s` in the file's [[input]] of site.toml"

_UTC_WORDS = {"UTC", "UCT", "Z"}
_NUMERIC = re.compile(r"([+-])(\d\d):?(\d\d)?")
_EARLIEST, _LATEST = pl.datetime(1980, 1, 1), pl.datetime(2100, 1, 1)

_MOST_HALF_DAYS = 200  # looked at for a clock change; more would cost more than they save

Fold = dict[str, Any]


def microseconds(at: datetime) -> int:
    """Since 1970; an instant without a zone is UTC."""
    return (naive_utc(at) - EPOCH) // timedelta(microseconds=1)


def instant_us(text: str, zone: str) -> int | None:
    """Microseconds since 1970 of a time as a comment gives it; None for other text.

    >>> instant_us("2015-07-13T10:00:00Z", "UTC"), instant_us("2015-07-13 12:00:00", "Europe/Oslo")
    (1436781600000000, 1436781600000000)
    >>> instant_us("1436781600", "UTC"), instant_us("2015-13-13 12:00:00", "UTC")
    (1436781600000000, None)
    >>> instant_us("²", "UTC"), instant_us("9" * 400, "UTC")
    (None, None)
    """
    if not text.replace(".", "", 1).isdigit():
        return iso_us(text, zone)
    try:
        return round(float(text) * 1_000_000)
    except (ValueError, OverflowError):  # a digit that is no decimal, or too many of them
        return None


def iso_us(text: str, zone: str) -> int | None:
    """Microseconds since 1970 of an ISO stamp, with its offset or in the zone; None for other text."""
    try:
        at = datetime.fromisoformat(text)
        return microseconds((at if at.tzinfo else at.replace(tzinfo=ZoneInfo(zone))).astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def from_microseconds(since: int | None) -> datetime | None:
    """The instant so long after 1970, UTC without its zone; None stays None."""
    return None if since is None else EPOCH + timedelta(microseconds=since)


def at_second(epoch: pl.Expr | str) -> pl.Expr:
    """Whole seconds since 1970 as an instant."""
    return pl.from_epoch(epoch, time_unit="s").cast(pl.Datetime("us"))


def instant_of(epoch: pl.Expr) -> pl.Expr:
    """Seconds since 1970 as an instant; null before that, and beyond 2100, where a number is a slip."""
    micros = pl.when(epoch.is_between(1, LAST_EPOCH)).then(epoch) * 1_000_000
    return micros.round().cast(pl.Int64).cast(pl.Datetime("us"))


def read_stamp(text: pl.Expr, form: str = "%Y-%m-%d %H:%M:%S") -> pl.Expr:
    """Text to naive local time; null for other text, or a year in which no log was written."""
    local = text.str.to_datetime(form, strict=False, time_unit="us", cache=False)
    return pl.when(local.is_between(_EARLIEST, _LATEST)).then(local)


def offset_s(word: str, zone: str) -> int | None:
    """Offset of a zone word from UTC in seconds, east positive; None where `zone` decides.

    >>> offset_s("+0530", "UTC"), offset_s("CST", "UTC")
    (19800, 0)
    >>> offset_s("-06", "America/Chicago"), offset_s("UTC", "America/Chicago")
    (None, 0)
    """
    if word in _UTC_WORDS:
        return 0
    if zone != "UTC":
        return None
    numeric = _NUMERIC.fullmatch(word)
    if numeric is None:
        return 0
    sign, hours, minutes = numeric.groups()
    return (-1 if sign == "-" else 1) * (int(hours) * 3600 + int(minutes or 0) * 60)


def announced(word: str, zone: str) -> str:
    """The zone word of a header for the stamps below it: empty where `zone` decides.

    >>> announced("CET", "Europe/Oslo"), announced("UTC", "Europe/Oslo"), announced("+02", "UTC")
    ('', 'UTC', '+02')
    """
    return "" if offset_s(word, zone) is None else word


def offset_of(text: pl.Expr) -> pl.Expr:
    """The duration of an ISO offset such as -06, -0600, +05:30 or Z; null for other text."""
    digits = text.str.replace("Z", "+00").str.replace(":", "", literal=True)
    hours, minutes = (digits.str.slice(at, 2).cast(pl.Int64, strict=False) for at in (1, 3))
    seconds = hours * 3600 + minutes.fill_null(0) * 60
    return pl.duration(seconds=pl.when(digits.str.starts_with("-")).then(-seconds).otherwise(seconds))


def instants(stamps: pl.DataFrame, zone: str, fold: Fold | None) -> tuple[pl.Series, Fold | None]:
    """UTC instants of the columns `local` and `word` in the order of the file; `fold` is carried from chunk to chunk.

    Neither null stamps nor null words may occur in `stamps`.
    """
    if stamps.is_empty():
        return stamps["local"].rename("at"), fold
    words = stamps["word"].unique().to_list()
    offsets = pl.DataFrame(
        {"word": words, "offset": [offset_s(word, zone) for word in words]},
        schema={"word": pl.String, "offset": pl.Int64},
    )
    if offsets["offset"].null_count() == 0 and len(set(offsets["offset"])) <= 1:
        return (stamps["local"] - timedelta(seconds=offsets["offset"][0])).rename("at"), None
    if (
        offsets["offset"].null_count() == offsets.height
        and (steady := _steady_offset(stamps["local"], zone)) is not None
    ):
        return (stamps["local"] - steady).rename("at"), None
    both = stamps.join(offsets, on="word", how="left", maintain_order="left").with_columns(
        at=pl.when(pl.col("offset").is_null())
        .then(to_utc(pl.col("local"), zone))
        .otherwise(pl.col("local") - pl.duration(seconds=pl.col("offset"))),
        again=pl.when(pl.col("offset").is_null()).then(second_pass(pl.col("local"), zone)),
    )
    return _unfold(both, zone, fold)


def dated(rows: pl.DataFrame, zone: str, fold: Fold | None) -> tuple[pl.DataFrame, Fold | None]:
    """The rows whose `local` time is known, with their instant `at`; without a column `word` no zone is given."""
    known = rows.filter(pl.col("local").is_not_null())
    stamps = known.select("local", word="word" if "word" in known.columns else pl.lit(""))
    at, fold = instants(stamps, zone, fold)
    return known.with_columns(at=at), fold


def _steady_offset(local: pl.Series, zone: str) -> timedelta | None:
    """The zone's offset if no clock change is within a day of the stamps; then one subtraction does for all of them."""
    first, last = cast(datetime, local.min()) - timedelta(days=1), cast(datetime, local.max()) + timedelta(days=1)
    n_halves = (last - first) // timedelta(hours=12) + 2
    if n_halves > _MOST_HALF_DAYS:
        return None
    here = ZoneInfo(zone)
    offsets = {(first + timedelta(hours=12) * half).replace(tzinfo=here).utcoffset() for half in range(n_halves)}
    return offsets.pop() if len(offsets) == 1 else None


def second_pass(local: pl.Expr, zone: str) -> pl.Expr:
    """Local times in UTC, those of an hour that repeats the second time round; null for an hour that is skipped."""
    later = local.dt.replace_time_zone(zone, ambiguous="latest", non_existent="null")
    return later.dt.convert_time_zone("UTC").dt.replace_time_zone(None)


def _unfold(both: pl.DataFrame, zone: str, fold: Fold | None) -> tuple[pl.Series, Fold | None]:
    """Move stamps to the second pass of the repeated hour: from a jump back on, or those whose word says so."""
    both = both.with_columns(
        at=pl.col("at").dt.epoch("us"),
        repeat=(pl.col("again") - pl.col("at")).dt.total_microseconds().fill_null(0),
    )
    if (both["repeat"] == 0).all():
        return both["at"].cast(pl.Datetime("us")), None
    before = fold or {"at": None, "repeat": 0, "is_second": False}
    step = pl.col("at") - pl.col("at").shift(1).fill_null(pl.lit(before["at"], dtype=pl.Int64))
    is_inside = pl.col("repeat") > 0
    was_inside = pl.col("repeat").shift(1, fill_value=before["repeat"]) > 0
    is_back = is_inside & was_inside & step.is_between(-pl.col("repeat"), -pl.col("repeat") // 2)
    one = both.filter(pl.col("repeat") > 0)["local"][0].replace(tzinfo=ZoneInfo(zone))
    first, second = (one.replace(fold=fold).tzname() for fold in (0, 1))
    is_named = is_inside & (pl.col("word") == second) if first != second else pl.lit(False)
    marked = both.with_columns(
        is_later=(is_back.fill_null(False) | is_named).cast(pl.Int64), hour=(~is_inside).cast(pl.Int64).cum_sum()
    ).with_columns(jumps=pl.col("is_later").cum_sum().over("hour"))
    carried = (pl.col("hour") == 0) & before["is_second"]
    marked = marked.with_columns(is_second=is_inside & ((pl.col("jumps") > 0) | carried))
    at = marked.select(pl.col("at") + pl.when("is_second").then("repeat").otherwise(0)).to_series()
    last = marked.row(-1, named=True)
    after = {key: last[key] for key in ("at", "repeat", "is_second")} if last["repeat"] else None
    return at.cast(pl.Datetime("us")), after
