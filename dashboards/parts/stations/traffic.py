"""What stations send and receive, in MRTG's manner, and how much of the time they were active."""

from datetime import date, timedelta

import polars as pl
import streamlit as st

from dashboards import components, link_loads, state, words
from dashboards.charts import series
from dashboards.data import Asked
from dashboards.head import Page
from pipelines.primitives import format
from pipelines.primitives.text import escape_markdown, natural
from pipelines.primitives.times import day_text, days_text

PART = {
    "title": "Traffic",
    "order": 10,
    "needs": ["gold.duty_factor", "silver.link_sample"],
    "lacking": "MRTG's logs, LibreNMS' rrd files, or interface counters",
    "filters": ["station"],
    "compares": True,
}
TABLE = [
    "station", "role", "duty_factor", "duty_factor_out", "duty_half", "duty_twice", "active_in_mb_s", "active_out_mb_s",
    "coverage",
]  # fmt: skip
WEEK_DAYS = 7
MOST_STATIONS = 12  # of the chart
DIRECTIONS = {"in": "inbound", "out": "outbound"}


def draw(page: Page) -> None:
    """Draw the part."""
    station, n_days = page.chosen["station"], max(WEEK_DAYS, page.n_days)
    total = page.ask("duty_total", n_days=n_days)
    if not total.rows:
        _show_links(page)
        return
    if station:
        state.link("stations", "← All stations")
        st.header(f"Station {escape_markdown(station)}", anchor=False)
    since = page.last_days(n_days)
    until = _until(page, since)
    total = page.ask("duty_total", n_days=n_days, station=station)
    _say(page, total, n_days, until)
    traffic = page.ask("traffic", first_day=since, station=station, n=336)
    before = page.ask_until("traffic", until, n_days)
    _draw_traffic(page, traffic, before, since, (page.last - until) if until else None)
    components.show_sql(traffic, *([before] if before else []))
    table = page.ask("duty_table", n_days=n_days)
    components.heading(table)
    components.show_table(table, TABLE, words.in_order(table.rows_of(station=station), "station"))
    components.show_sql(table, total)


def _until(page: Page, since: date) -> date | None:
    """The last of the days to compare with: weeks must not overlap, so they end before these begin."""
    return min(page.before[1], since - timedelta(days=1)) if page.before else None


def _duty_factors(n_stations: int) -> str:
    """What adds up."""
    return f"the duty factors of {n_stations} stations add up to" if n_stations != 1 else "the duty factor is"


def _say(page: Page, total: Asked, n_days: int, until: date | None) -> None:
    """How many stations the traffic would keep busy, as a sentence."""
    busy = " · ".join(
        f"{DIRECTIONS[row['direction']]} traffic: {format.quantity(row['moved_tb'], 'TB')} moved;"
        f" {_duty_factors(row['n_stations'])} {row['duty_total']:.1f}"
        " (a station that is always active has 1)"
        for row in total.rows
    )
    if busy:  # a scanning station has no duty factor
        st.markdown(f"**{busy[:1].upper()}{busy[1:]}.**")
    against = f" Grey: the {n_days} days up to {day_text(until)}." if until else ""
    week = " A full week is shown, because station load follows a weekly pattern." if page.n_days < WEEK_DAYS else ""
    st.caption(f"{days_text(page.last_days(n_days), page.last)}.{week}{against}")


def _draw_traffic(page: Page, traffic: Asked, before: Asked | None, since: date, shift: timedelta | None) -> None:
    """The stations below one another on one scale, those with most traffic if there are very many."""
    rows = traffic.frame()
    if rows.is_empty():
        st.text("No log shows traffic of this station on these days.")
        return
    busiest = rows.group_by("station").agg(pl.sum("avg_mb_s")).sort("avg_mb_s", descending=True)["station"].to_list()
    shown = sorted(busiest[:MOST_STATIONS], key=natural)
    chart = series.traffic(
        rows.filter(pl.col("station").is_in(shown)),
        shown,
        float(page.site["duty_threshold_mb_s"]),
        max((row["max_mb_s"] for row in traffic.rows), default=1.0),
        page.span(since),
        before.frame().with_columns(pl.col("bin_at") + shift) if before and shift else None,
    )
    components.show_chart(traffic, chart, f"Traffic of the stations {', '.join(shown)}.", zooms=True)
    if len(busiest) > len(shown):
        st.caption(
            f"Of {len(busiest)} stations, the {len(shown)} with most traffic are shown; choose another in the side bar."
        )


def _show_links(page: Page) -> None:
    """Where no link has a station: the links themselves, or what would bring their traffic."""
    loads = page.ask("link_loads")
    links = {row["link"] for row in loads.rows}
    if links:
        st.info(
            f"Traffic of {format.counted(len(links), 'link')} was read, but site.toml names no station for this"
            " traffic. Give each [[link]] a `station` to see what stations send and receive. The links are:"
        )
        link_loads.show(page, loads)
    else:
        st.text(
            "No log shows traffic of a station on these days."
            " The other tabs show what the stations' drives and hosts did."
        )
        components.show_sql(loads)
