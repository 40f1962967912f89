"""The clock that a page shows: the site's, or UTC where the visitor chose it (`tz=utc` in the URL).

The warehouse holds UTC. Instants change to that clock where they are drawn, put in a table or typed. The two passes of
an hour that the clocks repeat have the same place on an axis: charts mark it, the head of the page names it, and a text
states which pass is meant.
"""

from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from itertools import pairwise
from zoneinfo import ZoneInfo

import polars as pl
import streamlit as st

from dashboards import state
from pipelines.primitives.clock import day_bounds, naive_utc, parse_instant, to_utc

AGAIN = " (second time)"  # of an hour that the clocks repeat
_ZONE, _SITE = "view-zone", "view-site-zone"


def choose(site_zone: str) -> str:
    """The zone of the site, or UTC if the side bar or the URL says so."""
    names = {"": site_zone} | ({} if site_zone == "UTC" else {"utc": "UTC"})  # a site of UTC has no second clock
    asked = state.value("tz")
    if asked and asked not in (*names, "utc"):
        state.say_instead("Times in", asked, "write utc, or leave it out", site_zone)
    chosen: str | None = ""
    if len(names) > 1:
        key = state.widget("tz", asked if asked in names else "")
        chosen = st.sidebar.segmented_control(
            "Times in", list(names), key=key, format_func=names.__getitem__, required=True
        )
    st.session_state[_SITE] = site_zone
    st.session_state[_ZONE] = names[state.keep("tz", chosen or "")]
    return name()


def name() -> str:
    """The zone that this page's times are in."""
    return str(st.session_state.get(_ZONE, "UTC"))


def show(instants: pl.Expr) -> pl.Expr:
    """Instants of UTC as that zone's clocks show them."""
    return instants.dt.replace_time_zone("UTC").dt.convert_time_zone(name()).dt.replace_time_zone(None)


def show_one(instant: datetime) -> datetime:
    """One instant of UTC as that zone's clocks show it."""
    return instant.replace(tzinfo=UTC).astimezone(ZoneInfo(name())).replace(tzinfo=None)


def text(instant: datetime) -> str:
    """One instant of UTC in words, by that zone's clocks."""
    return _text(instant, name())


def _text(instant: datetime, zone: str) -> str:
    """The same in a zone.

    >>> [_text(datetime(2010, 11, 7, hour, 30), "America/Chicago") for hour in (6, 7)]
    ['2010-11-07 01:30:00', '2010-11-07 01:30:00 (second time)']
    """
    there = instant.replace(tzinfo=UTC).astimezone(ZoneInfo(zone))
    return f"{there:%Y-%m-%d %H:%M:%S}{AGAIN if there.fold else ''}"


def read(text: str) -> datetime:
    """An instant of UTC, typed by that zone's clocks unless it names another offset. Raises ValueError."""
    return _read(text, name())


def _read(text: str, zone: str) -> datetime:
    """The same in a zone.

    >>> [_read(f"2010-11-07 01:30{end}", "America/Chicago").hour for end in ("", " (second time)", "-02:00")]
    [6, 7, 3]
    """
    bare = text.removesuffix(AGAIN)
    typed = datetime.fromisoformat(bare)
    if typed.tzinfo:
        return parse_instant(bare)
    try:
        return naive_utc(typed.replace(tzinfo=ZoneInfo(zone), fold=int(bare != text)))
    except OverflowError:
        raise ValueError(f"{text} is outside the years 1 to 9999") from None


def seconds(begin: pl.Expr, end: pl.Expr) -> pl.Expr:
    """Seconds between two instants on the page's clock. An hour that the clock repeats counts twice."""
    return (to_utc(end, name()) - to_utc(begin, name())).dt.total_seconds()


def repeated(first: datetime, last: datetime) -> list[tuple[datetime, datetime]]:
    """Begin and end of each hour that the clocks repeat, between two instants of that clock."""
    return [(begin, end) for begin, end in _repeated(first.date(), last.date(), name()) if first < end and begin < last]


@lru_cache(maxsize=100)
def _repeated(first: date, last: date, zone: str) -> list[tuple[datetime, datetime]]:
    """Those of some days of a zone.

    >>> [f"{begin} {end:%H:%M}" for begin, end in _repeated(date(2010, 1, 1), date(2011, 1, 1), "America/Chicago")]
    ['2010-11-07 01:00:00 02:00']
    """
    here, found = ZoneInfo(zone), []
    days = [datetime(first.year, first.month, first.day) + timedelta(days=n) for n in range((last - first).days + 2)]
    for day, following in pairwise(days):
        before, after = _offset(day, here), _offset(following, here)
        if after < before:
            low, high = day - before, following - after  # UTC; the clocks go back between them
            while high - low > timedelta(seconds=1):
                middle = low + (high - low) / 2
                is_back = _offset(middle, UTC, here) < before
                low, high = (low, middle) if is_back else (middle, high)
            at = high.replace(microsecond=0)
            found.append((at + after, at + before))
    return found


def _offset(at: datetime, clock: tzinfo, there: tzinfo | None = None) -> timedelta:
    """How far a zone's clocks are ahead of UTC at an instant of a clock."""
    return at.replace(tzinfo=clock).astimezone(there or clock).utcoffset() or timedelta(0)


def site_day(at: datetime) -> date:
    """The site day that contains an instant by the page's clock."""
    return _day_there(at, name(), str(st.session_state.get(_SITE, "UTC")))


def day_end(at: datetime) -> datetime:
    """When the site day that contains an instant by the page's clock ends, by that clock."""
    return _day_end_there(at, name(), str(st.session_state.get(_SITE, "UTC")))


def _day_end_there(at: datetime, clock: str, zone: str) -> datetime:
    """The same by another clock; days of a zone are 23 to 25 hours long.

    >>> str(_day_end_there(datetime(2010, 11, 7, 5), "UTC", "America/Chicago"))
    '2010-11-08 06:00:00'
    >>> str(_day_end_there(datetime(2010, 11, 7), "America/Chicago", "America/Chicago"))
    '2010-11-08 00:00:00'
    """
    end = day_bounds(_day_there(at, clock, zone), zone)[1]
    return end.replace(tzinfo=UTC).astimezone(ZoneInfo(clock)).replace(tzinfo=None)


def _day_there(at: datetime, clock: str, zone: str) -> date:
    """The day that a zone's calendar has at an instant of another clock.

    >>> str(_day_there(datetime(2010, 3, 11, 5, 59), "UTC", "America/Chicago"))
    '2010-03-10'
    """
    return at.replace(tzinfo=ZoneInfo(clock)).astimezone(ZoneInfo(zone)).date()
