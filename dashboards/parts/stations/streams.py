"""At how many streams do a station's disks drop below tape speed, and what do stations make of their streams?"""

import polars as pl
import streamlit as st

from dashboards import charts, components, fields, words
from dashboards.head import Page

PART = {
    "title": "Streams",
    "order": 50,
    "needs": ["gold.stream_concurrency", "gold.station_efficiency", "gold.mass_balance"],
    "lacking": "logs of drives that name their stations",
    "filters": ["station"],
}
STREAMS = [
    "station", "mode", "n_streams", "n_opposite", "duration_s", "total_mb_s", "stream_mb_s", "retained_share",
    "fairness",
]  # fmt: skip
EFFICIENCY = ["station", "direction", "n_days_active", "long_mb_s", "stream_mb_s", "n_streams", "efficiency"]
BALANCE = ["station", "role", "day", "in_tb", "out_tb", "unaccounted_tb", "out_duty", "needed_out_duty"]


def draw(page: Page) -> None:
    """Draw the part."""
    station, n_days = page.chosen["station"], max(7, page.n_days)
    streams = page.ask("streams_per_station")
    components.heading(streams)
    chosen = words.in_order(streams.rows_of(station=station), "station")
    if chosen:
        most = int(
            fields.slide(
                "opposite", "Show times with at most this many streams in the opposite direction", 0.0, 8.0, 0.0, 1.0
            )
        )
        frame = streams.frame([row for row in chosen if row["n_opposite"] <= most])
        others = (
            pl.when(pl.col("n_opposite") > 0).then(charts.joined("against", "n_opposite")).otherwise(pl.lit("alone"))
        )
        frame = frame.with_columns(against=pl.lit("against")).with_columns(against=others)
        frame = frame.with_columns(line=charts.joined("station", "mode", "against"))
        titles = {
            "n_streams": "simultaneous streams",
            "stream_mb_s": streams.label("stream_mb_s"),
            "line": "streams of",
        }
        chart = charts.lines(frame, "n_streams", "stream_mb_s", "line", titles, most=3, link="station")
        components.show_chart(streams, chart, "The rate of one stream by the number of simultaneous streams.")
        components.show_table(streams, STREAMS, chosen)
    else:
        st.text("No log shows a station's transfers in this period.")
    components.show_sql(streams)
    with components.closed("How well each station uses its streams", "efficiency") as is_open:
        if is_open:
            made = page.ask("stream_efficiency", n_days=n_days)
            rows = words.in_order(made.rows_of(station=station), "station")
            components.show_part(
                made, EFFICIENCY, rows, "No log of these days shows a station's links above the duty threshold."
            )
    with components.closed("Traffic in and out, day by day", "balance") as is_open:
        if is_open:
            balance = page.ask("unbalanced_stations", first_day=page.last_days(n_days), share=0)
            rows = words.in_order(balance.rows_of(station=station), "station")
            components.show_part(
                balance, BALANCE, rows, "No log shows a station's traffic in both directions on these days."
            )
