"""When a screen was taken: from a wrapper's stamps, or from the file's origin."""

import re
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

import polars as pl

from pipelines.primitives.errors import UnreadableFile
from pipelines.sources._shared.stamps import instants, microseconds, offset_s
from pipelines.sources.protocol import Origin

_DATE = re.compile(
    r"(?:zzz )?(?:[A-Z][a-z]{2},? )([A-Z][a-z]{2}) (\d\d?),? (\d\d?:\d\d:\d\d)(?: ([AP]M))?"
    r"(?: ([A-Z]{1,5}|[+-]\d\d(?::?\d\d)?))? (\d{4})"
)
_ISO = re.compile(r"(?:zzz )?(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))? ?(Z|[A-Z]{3,5}|[+-]\d\d:?\d\d)?")
_LIKE = re.compile(r"zzz\b|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? [A-Z][a-z]{2} |\d{4}-\d\d-\d\d(?!\d)")
_NAMED = re.compile(r"((?:19|20)\d\d)[-_.]?(\d\d)[-_.]?(\d\d)(?:[T_.-]?(\d\d)[:_.-]?(\d\d)(?:[:_.-]?(\d\d))?)?(?!\d)")

Clock = dict[str, Any]
START: Clock = {
    "anchor_us": None,  # the instant of the screen after `rank` others
    "rank": 0,  # screens since the anchor
    "basis": "",  # where the anchor's time comes from
    "is_lost": False,  # the stamp before the next screen could not be read
    "fold": None,  # see _stamps
}


def is_like_stamp(flat: str) -> bool:
    """A line that begins like a clock's, readable or not."""
    return _LIKE.match(_bare(flat)) is not None


def _bare(flat: str) -> str:
    """Without the signs scripts put around a stamp: `=== … ===`, `# …`, `zzz ***…`."""
    if flat.startswith("zzz "):
        flat = flat.removeprefix("zzz ").lstrip("*").strip()
        return "zzz " + flat
    if (begun := flat.lstrip("#*=<>[-")) != flat:
        flat = begun.removeprefix(" ")
    if (ended := flat.rstrip("#*=<>]-")) != flat:
        flat = ended.removesuffix(" ")
    return flat


def stamps_us(flats: list[str], zone: str, clock: Clock) -> list[int | None]:
    """The instants of stamps in their order, microseconds since 1970; None where one cannot be read."""
    read = [_read(flat) for flat in flats]
    local = [(stamp.local, stamp.word) for stamp in read if stamp and stamp.offset_s is None]
    frame = pl.DataFrame(local, schema={"local": pl.Datetime("us"), "word": pl.String}, orient="row")
    found, clock["fold"] = instants(frame, zone, clock["fold"])
    inferred = iter(found.to_list())
    instant: list[int | None] = []
    for stamp in read:
        if stamp is None:
            instant.append(None)
        elif stamp.offset_s is None:
            instant.append(microseconds(next(inferred)))
        else:
            instant.append(microseconds(stamp.local - timedelta(seconds=stamp.offset_s)))
    return instant


class _Stamp(NamedTuple):
    local: datetime
    word: str  # the text in place of the zone
    offset_s: int | None  # of an ISO stamp, which is believed


def _read(flat: str) -> _Stamp | None:
    bare = _bare(flat)
    if match := _DATE.fullmatch(bare):
        month, day, time, half, word, year = match.groups()
        form = "%Y %b %d %I:%M:%S %p" if half else "%Y %b %d %H:%M:%S"
        local = _local_time(f"{year} {month} {day} {time}" + (f" {half}" if half else ""), form)
        return _Stamp(local, word or "", None) if local else None
    if match := _ISO.fullmatch(bare):
        day, time, fraction, word = match.groups()
        local = _local_time(f"{day} {time}", "%Y-%m-%d %H:%M:%S")
        if local is None:
            return None
        local += timedelta(microseconds=int((fraction or "0").ljust(6, "0")[:6]))
        is_offset = bool(word) and word[0] in "+-"
        return _Stamp(local, word or "", offset_s(word, "UTC") if is_offset else None)
    return None


def _local_time(text: str, form: str) -> datetime | None:
    try:
        local = datetime.strptime(text, form)
    except ValueError:
        return None
    return local if 1980 <= local.year < 2100 else None


def begin(origin: Origin, is_single: bool) -> Clock:
    """The time of the first screen, from the origin's instant, the file's name, its day, or its last change."""
    clock = dict(START)
    named = _NAMED.search(origin.path)
    for basis, at in (
        ("start_at", origin.start_at),
        ("file name", _named(named, origin.zone) if named else None),
        ("day alone", _local(origin.date, "00:00:00", origin.zone) if origin.date else None),
        ("modified_at", origin.modified_at if is_single else None),
    ):
        if at is not None:
            return clock | {"anchor_us": microseconds(at), "basis": basis}
    return clock


def _named(match: re.Match[str], zone: str) -> datetime | None:
    year, month, day, hour, minute, second = match.groups()
    if hour is None:
        return None
    try:
        return _local(date(int(year), int(month), int(day)), f"{hour}:{minute}:{second or '00'}", zone)
    except ValueError:
        return None


def _local(day: date, time: str, zone: str) -> datetime | None:
    local = _local_time(f"{day} {time}", "%Y-%m-%d %H:%M:%S")
    if local is None:
        return None
    found: datetime = instants(pl.DataFrame({"local": [local], "word": [""]}), zone, None)[0][0]
    return found


def next_screen(clock: Clock, interval_s: float | None, line_no: int) -> int | None:
    """The instant of the screen that begins, None where its stamp is unreadable; UnreadableFile without a clock."""
    if clock["is_lost"]:
        return None
    rank = clock["rank"]
    clock["rank"] += 1
    if clock["anchor_us"] is None:
        raise UnreadableFile(
            f"line {line_no}: the sysperf screen has no time",
            "put a `date` line before each screen, or set `start_at` and `interval_s` in the file's [[input]]",
            reason="no_clock",
        )
    if rank and interval_s is None:
        raise UnreadableFile(
            f"line {line_no}: the second sysperf screen has no time",
            "give `interval_s`, the seconds between screens, in the file's [[input]] of site.toml",
            reason="no_clock",
        )
    anchor_us, step_us = int(clock["anchor_us"]), round((interval_s or 0) * 1_000_000)
    return anchor_us + int(rank) * step_us


def set_stamp(clock: Clock, at_us: int | None) -> None:
    """A stamp dates the screen after it; one that cannot be read leaves that screen without a time."""
    clock.update(anchor_us=at_us, rank=0, basis="stamp", is_lost=at_us is None)
