"""The head of a page: its site, days, snapshot and coverage; period, clock and filters are in the side bar."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Self

import polars as pl
import streamlit as st

from dashboards import components, data, fields, first_visit, period, state, zone
from dashboards.charts import log_changes
from dashboards.data import Asked
from pipelines.answers.question import OUTDATED
from pipelines.primitives import format
from pipelines.primitives.clock import day_bounds
from pipelines.primitives.text import escape_markdown, natural
from pipelines.primitives.times import day_text, days_between, days_text, left_out

FILTERS = {"station": "Station", "drive": "Drive", "group": "Storage group"}
COVERAGE = ["source", "host", "expected_hours", "covered_hours", "missing_hours", "undeclared_hours", "share"]
_IS_FRESH = "head-is-fresh"
AROUND_DAYS = 1100  # of a period, whose changes charts show: a trend looks back three years, a plan ahead
LOOK_S = 60  # how often an open page asks whether there are newer data


@dataclass(frozen=True)
class Page:
    """One snapshot, the days that were chosen, those to compare with, and the filters."""

    snapshot: int
    site: dict[str, Any]
    first: date
    last: date
    before: tuple[date, date] | None
    chosen: dict[str, str]

    def ask(self, name: str, **params: object) -> Asked:
        """A question about the page's days, from its snapshot."""
        return self._ask(name, self.first, self.last, params)

    def ask_before(self, name: str, **params: object) -> Asked | None:
        """The same about the days to compare with, if any were chosen."""
        return self._ask(name, *self.before, params) if self.before else None

    def ask_until(self, name: str, last: date | None, n_days: int) -> Asked | None:
        """The same about the `n_days` days that end with `last`; None without a `last`."""
        return self._ask(name, last - timedelta(days=n_days - 1), last, {"n_days": n_days}) if last else None

    def _ask(self, name: str, first: date, last: date, params: dict[str, object]) -> Asked:
        days = {"first_day": first, "last_day": last}
        given = {key: str(value) for key, value in (days | params).items() if key in data.takes(name)}
        return data.ask(name, self.snapshot, given)

    @property
    def n_days(self) -> int:
        return (self.last - self.first).days + 1

    def last_days(self, n_days: int) -> date:
        """The first of the `n_days` days that end with the period."""
        return self.last - timedelta(days=n_days - 1)

    def span(self, first: date | None = None) -> tuple[datetime, datetime]:
        """Instants, by the page's clock, at which the period begins, or that day, and at which the period ends."""
        site_zone = self.site["zone"]
        ends = day_bounds(first or self.first, site_zone)[0], day_bounds(self.last, site_zone)[1]
        return zone.show_one(ends[0]), zone.show_one(ends[1])

    def say_left_out(self) -> None:
        """Report the days of the period that no log of drives covers: numbers of drive-hours do not have them."""
        known = {row["day"] for row in self.ask("hours_by_group").rows}
        missing = [day for day in days_between(self.first, self.last) if day not in known]
        if known and missing:
            st.caption(f"{left_out(missing, self.n_days)}.")

    def say_not_narrowed(self, name: str, why: str) -> None:
        """Report next to what is shown that a choice of the side bar, where one was made, does not narrow it."""
        if chosen := self.chosen[name]:
            st.caption(f"These data are not narrowed to {FILTERS[name].lower()} {escape_markdown(chosen)}. {why}.")

    def changes(self) -> pl.DataFrame:
        """The entries of the change log around the period: every chart along time has those within it."""
        last = self.last + timedelta(days=AROUND_DAYS)
        return self.ask("changes", last_day=last, n_days=2 * AROUND_DAYS).frame()

    @property
    def shift(self) -> timedelta:
        """How far the days to compare with are before the period."""
        return self.first - self.before[0] if self.before else timedelta(0)

    def narrowed(self, filters: Iterable[str], compares: bool = False) -> Self:
        """The page with the choices of the side bar that narrow it, and the days to compare with where it has any."""
        before = period.choose_before(self.first, self.last) if compares else None
        members = self.ask("members") if filters else None
        chosen = {}
        for name in filters:
            names = [row["name"] for row in members.rows if row["kind"] == name] if members else []
            chosen[name] = fields.choose(name, FILTERS[name], ["", *sorted(names, key=natural)], {"": "all"})
        return replace(self, before=before, chosen=chosen)


def open_page(title: str, compares: bool = False, reloads: bool = False) -> Page:
    """The head of a page. A page whose title is what it shows writes it itself.

    It `reloads` itself once there are newer data where its caller says so, or `refresh=yes` in the URL.
    """
    if title:
        st.title(title, anchor=False)
    try:
        newest = data.newest_snapshot()
        site = next(iter(data.ask("period", newest, {}).rows), {})
    except data.NoAnswer as problem:
        first_visit.show(problem)
    snapshot = _pinned(newest)
    if not site.get("last_day"):
        first_visit.show_undated(snapshot)
    first, last = period.choose(site["first_day"], site["last_day"], data.last_day(snapshot))
    clock = zone.choose(site["zone"])
    page = Page(snapshot, site, first, last, None, {}).narrowed((), compares)
    log_changes(page.changes)
    against = f" · compared with {days_text(*page.before)}" if page.before else ""
    days = f"{days_text(first, last)}{against}" + (f" · times in {clock}" if clock != site["zone"] else "")
    show_freshness(data.ask("freshness", snapshot, {}), f"{site['name']} · {days} · snapshot {snapshot}")
    if snapshot == newest and data.is_outdated(snapshot):
        st.warning(OUTDATED)
    for begin, end in zone.repeated(*page.span()):
        st.caption(
            f"On {day_text(begin.date())} the clocks went back: {begin:%H:%M} to {end:%H:%M} occurred twice."
            " Charts and tables show the two hours as one; choose UTC in the side bar to separate them."
        )
    st.session_state[_IS_FRESH] = True
    refreshes = state.keep("refresh", "yes" if state.value("refresh") == "yes" else "")
    _watch(newest, reloads or bool(refreshes))
    _show_coverage(page.ask("coverage"))
    return page


def _pinned(newest: int) -> int:
    """The snapshot that the URL names, or the newest one; a pinned page reports that it is."""
    asked = state.value("snapshot")
    if not asked:
        return newest
    try:
        number = int(asked)
        data.ask("period", number, {})
    except (ValueError, data.NoAnswer):
        state.say_instead("Snapshot", asked, "the warehouse has no snapshot with that number", str(newest))
        state.keep("snapshot", "")
        return newest
    state.keep("snapshot", asked)
    if number != newest:
        st.info(f"This page is pinned to snapshot {number}; the newest snapshot is {newest}.")

        def unpin() -> None:
            state.keep("snapshot", "")

        st.button("Show the newest snapshot", on_click=unpin)
    return number


@st.fragment(run_every=LOOK_S)
def _watch(snapshot: int, reloads: bool) -> None:
    if st.session_state.pop(_IS_FRESH, False):
        return  # the page has only just asked
    offer_newer(snapshot, reloads)


def offer_newer(snapshot: int, reloads: bool) -> None:
    """Offer to reload once there are newer data, or reload."""
    try:
        if data.newest_snapshot() == snapshot:
            return
        if reloads:
            st.rerun()
        ended = data.newest("freshness").rows[0]["ended_at"]
    except data.NoAnswer:
        return  # the page itself reports it when it runs again
    st.button(f"Updated {zone.show_one(ended):%H:%M} · reload" if ended else "Updated · reload", type="primary")


def show_freshness(found: Asked | None = None, of: str = "") -> None:
    """Until when there are data, and how the last run ended; of the newest snapshot unless a page has its own."""
    try:
        (row,) = (found or data.newest("freshness")).rows_of(kind="all")
    except data.NoAnswer:
        return  # a page that needs no warehouse works without one
    st.text(f"{of} · {row['summary']}" if of else row["summary"])
    if row["outcome"] in ("failed", "stopped"):
        st.error("The last run of a step failed or was stopped, so this page may show older data.")
        st.code(row["failure"], language=None, wrap_lines=True)


def _show_coverage(found: Asked) -> None:
    """Which logs were received, in one line that opens: nothing below holds what they miss."""
    sources = found.rows_of(level="source")
    lines = [
        f"{row['source']} "
        + (
            format.percent(row["share"])  # a part that is missing does not round to nothing
            if row["missing_hours"]
            else found.shown(row, "share" if row["share"] is not None else "covered_hours")
        )
        for row in sources
    ]
    missing = any(row["missing_hours"] for row in sources)
    head = "▲ Some expected logs are missing. Logs received" if missing else "Logs received"
    strip = st.expander(
        f"{head}: {' · '.join(lines) or 'none declared or read in this period'}", key="coverage", on_change="rerun"
    )
    if strip.open:
        with strip:
            if missing:
                st.text("The numbers on this page do not include the missing hours.")
            components.show_table(found, COVERAGE, found.rows)
            components.show_sql(found)
