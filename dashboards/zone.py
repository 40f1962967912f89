"""The clock that a page shows: the site's, or UTC where the visitor chose it (`tz=utc` in the URL).

The warehouse holds UTC. Instants change to that clock where they are drawn or put in a table. An hour that the clocks
repeat is drawn twice.
"""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import polars as pl
import streamlit as st

from dashboards import state

_ZONE, _SITE = "view-zone", "view-site-zone"


def choose(site_zone: str) -> str:
    """The zone of the site, or UTC if the side bar or the URL says so."""
    names = {"": site_zone, "utc": "UTC"}
    asked = state.value("tz")
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


def site_day(at: datetime) -> date:
    """The day of the site in which an instant by the page's clock lies."""
    return _day_there(at, name(), str(st.session_state.get(_SITE, "UTC")))


def _day_there(at: datetime, clock: str, zone: str) -> date:
    """The day that a zone's calendar has at an instant of another clock.

    >>> str(_day_there(datetime(2010, 3, 11, 5, 59), "UTC", "America/Chicago"))
    '2010-03-10'
    """
    return at.replace(tzinfo=ZoneInfo(clock)).astimezone(ZoneInfo(zone)).date()
