"""Which zone the clocks of an archive's logs are in.

Some lines hold a local clock time and the epoch second of the same instant: Enstore's request ids carry the second
the client started, and the finished transfer says how long it took; dCache's statistics begin with both. Lines of CTA
and of dCache's billing as JSON have the local time with its offset. The difference is the offset from UTC; offsets of
summer and winter together, and words such as CEST next to stamps, leave few zones.
"""

import re
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import polars as pl

from pipelines.ingest.survey.files import FileFound
from pipelines.primitives.zone_names import CANDIDATES, words_of_zone, zones_with
from pipelines.sources._shared.stamps import MONTHS

_QUARTER_S = 900
_CLOSE_S = 60  # the most by which the difference of two clocks may miss a quarter of an hour
_DAY_S = 86_400
_WITH_OFFSET = re.compile(r'"(?:local_time|date)\\?"\s*:\s*\\?"(\d{4}-\d\d-\d\d)T[\d:.]+([+-])(\d\d):?(\d\d)\\?"')
_JAVA_DATE = re.compile(
    r"^# timestamp=(\d{12,13})\s+# date=[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d\d) (\d\d):(\d\d):(\d\d) \S+ (\d{4})", re.M
)
_YEAR = range(19723, 19723 + 366, 5)  # days of 2024


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
    """The same of lines that have a local time with its offset or epoch, one for each day of a file.

    >>> offsets_in(['{"epoch_time":1781503281.5,"local_time":"2026-06-15T08:01:21+0200"}'] * 3)
    Counter({(20619, 7200): 1})
    >>> offsets_in(["# timestamp=1773219300897", "# date=Wed Mar 11 09:55:00 CET 2026"])
    Counter({(20523, 3600): 1})
    """
    lines, found = list(lines), set()
    for java in _JAVA_DATE.finditer("\n".join(lines)):
        with suppress(ValueError):
            of_month, hour, minute, second = map(int, java.group(3, 4, 5, 6))
            clock = datetime(int(java[7]), MONTHS.index(java[2]) + 1, of_month, hour, minute, second, tzinfo=UTC)
            late = clock.timestamp() - int(java[1]) / 1000
            if abs(late - (offset := _QUARTER_S * round(late / _QUARTER_S))) <= _CLOSE_S:
                found.add((int(java[1]) // 1000 // _DAY_S, offset))
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


def settle_zones(files: list[FileFound]) -> ZoneGuess:
    """The zone of a site, from all of its files. Files whose stamps name another zone get theirs in `zone`."""
    guess = _zone_of(files)
    here = guess.zones[0] if guess.zones else ""
    for file in files:
        if file.zone_words and not (here and set(file.zone_words) <= words_of_zone(here)):
            own = guess_zone(file.offsets, file.zone_words).zones
            file.zone = own[0] if own and own[0] != here else ""
    left = [file for file in files if not file.zone]
    if len(left) == len(files):
        return guess
    guess = _zone_of(left)
    return ZoneGuess(guess.zones, f"{guess.why}. Some logs name another zone: see `zone` in their [[input]]")


def _zone_of(files: list[FileFound]) -> ZoneGuess:
    offsets: Counter[tuple[int, int]] = Counter()
    words: Counter[str] = Counter()
    for file in files:
        offsets += file.offsets
        words += file.zone_words
    return guess_zone(offsets, words)


def guess_zone(offsets: Counter[tuple[int, int]], words: Counter[str]) -> ZoneGuess:
    """The candidate zones whose offset agrees with at least nine of ten rows, and which have the words.

    Words alone leave zones only if all that have them show the same time, which those of CST do not.

    >>> guess_zone(Counter(), Counter({"CET": 5})).zones[:2], guess_zone(Counter(), Counter({"CST": 5})).zones
    (['Europe/Zurich', 'Europe/Berlin'], [])
    """
    total = sum(offsets.values())
    listed = ", ".join(f"{word} ({n} lines)" for word, n in sorted(words.items()))
    quoted = f"time stamps name these zones: {listed}" if words else ""
    named = zones_with(words) if words else []
    if not total:
        are_one = len({tuple(_offset(ZoneInfo(name), day) for day in _YEAR) for name in named}) == 1
        return ZoneGuess(named if are_one else [], quoted) if words else ZoneGuess()
    fits = [name for name in CANDIDATES if _agreeing(name, offsets) >= 0.9 * total]
    fits = [name for name in fits if name in named] or fits
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
