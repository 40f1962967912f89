"""Which zone the clocks of an archive's logs are in.

Some lines hold a local clock time and the epoch second of the same instant: Enstore's request ids carry the second
the client started, and the finished transfer says how long it took. Lines of CTA as JSON have the local time with its
offset. The difference is the offset from UTC, and offsets of summer and winter together leave few zones.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl

# Zones of tape archives; any other can be written by hand.
CANDIDATES = (
    "America/Chicago",
    "America/New_York",
    "America/Denver",
    "America/Los_Angeles",
    "America/Vancouver",
    "America/Sao_Paulo",
    "Europe/London",
    "Europe/Zurich",
    "Europe/Berlin",
    "Europe/Paris",
    "Europe/Madrid",
    "Europe/Rome",
    "Europe/Amsterdam",
    "Europe/Stockholm",
    "Europe/Copenhagen",
    "Europe/Prague",
    "Europe/Helsinki",
    "Europe/Moscow",
    "Asia/Tokyo",
    "Asia/Seoul",
    "Asia/Shanghai",
    "Asia/Taipei",
    "Asia/Kolkata",
    "Australia/Sydney",
    "UTC",
)
_QUARTER_S = 900
_CLOSE_S = 60  # the most by which the difference of two clocks may miss a quarter of an hour
_DAY_S = 86_400
_WITH_OFFSET = re.compile(r'"local_time\\?"\s*:\s*\\?"(\d{4}-\d\d-\d\d)T[\d:.]+([+-])(\d\d):?(\d\d)\\?"')


@dataclass
class ZoneGuess:
    """Zones that fit all rows; the first is written, `why` is the evidence."""

    zones: list[str] = field(default_factory=list)
    why: str = "no line contains a local time together with its Unix time"


def offsets_of(tables: dict[str, pl.DataFrame]) -> Counter[tuple[int, int]]:
    """(epoch day, offset in seconds) of rows with a local clock and an epoch, as they were read with zone UTC."""
    found: Counter[tuple[int, int]] = Counter()
    for rows in tables.values():
        clock = next((name for name in ("logged_at", "ended_at") if name in rows.columns), "")
        if not clock or not {"unique_id", "elapsed_s"} <= set(rows.columns):
            continue
        begun = pl.col("unique_id").str.extract(r"-(\d{9,10})-\d+-\d+$").cast(pl.Int64, strict=False)
        late = pl.col(clock).dt.epoch("s") - begun - pl.col("elapsed_s")
        offset = (late / _QUARTER_S).round().cast(pl.Int64, strict=False) * _QUARTER_S
        measured = rows.select(day=begun // _DAY_S, offset=offset, off=(late - offset).abs()).drop_nulls()
        close = measured.filter(pl.col("off") <= _CLOSE_S).select("day", "offset")
        found.update((int(day), int(at)) for day, at in close.rows())
    return found


def offsets_in(lines: Iterable[str]) -> Counter[tuple[int, int]]:
    """The same of lines that have a local time with its offset, one for each day of a file.

    >>> offsets_in(['{"epoch_time":1781503281.5,"local_time":"2026-06-15T08:01:21+0200"}'] * 3)
    Counter({(20619, 7200): 1})
    """
    found = set()
    for match in filter(None, map(_WITH_OFFSET.search, lines)):
        offset = 3600 * int(match[3]) + 60 * int(match[4])
        try:
            day = date.fromisoformat(match[1])
        except ValueError:
            continue
        found.add(((day - date(1970, 1, 1)).days, -offset if match[2] == "-" else offset))
    return Counter(found)


def words_of(tables: dict[str, pl.DataFrame]) -> Counter[str]:
    """Zone words after stamps."""
    found: Counter[str] = Counter()
    for rows in tables.values():
        if "zone" in rows.columns:
            found.update(dict(rows.drop_nulls("zone").group_by("zone").len().rows()))
    return found


def guess_zone(offsets: Counter[tuple[int, int]], words: Counter[str]) -> ZoneGuess:
    """The candidate zones whose offset agrees with at least nine of ten rows."""
    total = sum(offsets.values())
    listed = ", ".join(f"{word} ({n} lines)" for word, n in sorted(words.items()))
    quoted = f"time stamps name these zones: {listed}" if words else ""
    if not total:
        return ZoneGuess(why=quoted) if words else ZoneGuess()
    fits = [name for name in CANDIDATES if _agreeing(name, offsets) >= 0.9 * total]
    found = sorted({offset for _, offset in offsets})
    listed = ", ".join(f"UTC{offset / 3600:+g} h" for offset in found)
    why = f"{total} local times have a known offset from UTC: {listed}"
    return ZoneGuess(fits, f"{why}; {quoted}" if words else why)


def _agreeing(name: str, offsets: Counter[tuple[int, int]]) -> int:
    zone = ZoneInfo(name)
    return sum(n for (day, offset), n in offsets.items() if _offset(zone, day) == offset)


def _offset(zone: ZoneInfo, epoch_day: int) -> int:
    noon = datetime(1970, 1, 1, 12, tzinfo=UTC) + timedelta(days=epoch_day)
    return int((noon.astimezone(zone).utcoffset() or timedelta()).total_seconds())
