"""Axes of time: their clock, their ends, and the entries of the site's change log on every one of them."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

import altair as alt
import polars as pl
import streamlit as st

from dashboards import zone
from dashboards.charts.looks import INK

Span = tuple[datetime, datetime]  # instants at which an axis begins and ends
TICKS, YEAR = 8, 300
MOST_MARKS = 20  # changes drawn on one chart
WORD_CHARS, WORD_SHARE = 26, 0.2  # of a change, next to its mark; share of the axis that they take at least
_SCHEMA: dict[str, Any] = {"changed_at": pl.Datetime("us"), "what": pl.String, "whom": pl.String, "short": pl.String}
_CHANGES = "view-changes"


def along_time(what: str = "time") -> str:
    """The title of an axis of time: it names the clock."""
    return f"{what} in {zone.name()}"


def over(span: Span) -> alt.Scale:
    """The scale of a time axis that begins and ends with a period, whatever rows it has."""
    ends = [alt.DateTime(year=at.year, month=at.month, date=at.day, hours=at.hour, minutes=at.minute) for at in span]
    return alt.Scale(domain=ends, nice=False)


def day_ticks(span: Span) -> Any:
    """How many ticks an axis has whose labels are days: with more than one a day a label would appear again."""
    return TICKS if span[1] - span[0] >= timedelta(days=TICKS) else alt.TimeIntervalStep(interval="day", step=1)


def day_form(span: Span) -> str:
    """How an axis of days names them: on one of years, the first of January alone would appear again and again."""
    return "%d %b" if span[1] - span[0] < timedelta(days=YEAR) else "%b %Y"


def instant(name: str, title: str) -> alt.Tooltip:
    return alt.Tooltip(f"{name}:T", title=f"{title} ({zone.name()})", format="%Y-%m-%d %H:%M:%S")


def log_changes(ask: Callable[[], pl.DataFrame]) -> None:
    """Have charts of this page mark the entries of the change log: `changed_at`, `what` and `entities` of a frame."""
    st.session_state[_CHANGES] = ask


def changes(span: Span) -> list[Any]:
    """Entries of the change log within a span: a thin line each, with its words where there is room.

    The hour that clocks repeat is marked as well: its two passes have the same place on the axis.
    """
    ask = st.session_state.get(_CHANGES)
    rows = ask().select("changed_at", "what", "entities").drop_nulls("changed_at").rows() if ask else []
    rows += [
        (at, f"{at:%H:%M} to {until:%H:%M} occurred twice, because the clock was set back", "the clocks")
        for at, until in zone.repeated(*span)
    ]
    shown = sorted({(at, what or "", of or "the whole site") for at, what, of in rows if span[0] <= at < span[1]})
    if not shown:
        return []
    marks = pl.DataFrame(list(_worded(shown[:MOST_MARKS], span)), schema=_SCHEMA, orient="row")
    tips = [alt.Tooltip("what:N", title="change"), alt.Tooltip("whom:N", title="of"), instant("changed_at", "at")]
    base = alt.Chart(marks).encode(x=alt.X("changed_at:T", scale=over(span)), tooltip=tips)
    text = base.mark_text(align="left", baseline="bottom", dx=-4, dy=-2, color=INK, fontSize=11)
    return [base.mark_rule(color=INK, strokeWidth=1), text.encode(y=alt.value(0), text=alt.Text("short:N"))]


def _worded(shown: list[tuple[datetime, str, str]], span: Span) -> Iterable[tuple[datetime, str, str, str]]:
    """Each with its words in short; those too near to the next one, or to the end, have a sign alone."""
    room = (span[1] - span[0]) * WORD_SHARE
    for (at, what, whom), following in zip(shown, [*(one[0] for one in shown[1:]), span[1]], strict=True):
        short = what if len(what) <= WORD_CHARS else what[: WORD_CHARS - 1] + "…"
        yield at, what, whom, f"▼ {short}" if following - at >= room else "▼"
