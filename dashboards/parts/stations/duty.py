"""How much of the time stations were active, above a threshold of your choice."""

import streamlit as st

from dashboards import charts, components, fields, words
from dashboards.head import Page

PART = {
    "title": "Duty factor",
    "order": 20,
    "needs": ["gold.duty_factor"],
    "lacking": "traffic of links that belong to a station: MRTG's logs or interface counters",
    "filters": ["station"],
}
VALLEY = [
    "station", "direction", "low_mb_s", "high_mb_s", "separation", "valley_mb_s", "duty_at_valley", "threshold_mb_s",
    "duty",
]  # fmt: skip


def draw(page: Page) -> None:
    """Draw the part."""
    station, n_days = page.chosen["station"], max(7, page.n_days)
    threshold = fields.slide(
        "threshold",
        "Traffic above which a half-hour counts as active [MB/s]",
        0.5,
        100.0,
        float(page.site["duty_threshold_mb_s"]),
        0.5,
    )
    duty = page.ask("duty_at", n_days=n_days, threshold_mb_s=threshold, station=station)
    components.heading(duty, f"Duty factor above {threshold:g} MB/s")
    curve = [row for row in duty.rows if row["duty_factor"] is not None]
    titles = {"threshold_mb_s": "threshold [MB/s]", "duty_factor": "duty factor"}
    for place, (direction, text) in zip(st.columns(2), {"in": "inbound", "out": "outbound"}.items(), strict=True):
        rows = [row for row in curve if row["direction"] == direction]
        if rows:
            drawn = charts.lines(duty.frame(rows), "threshold_mb_s", "duty_factor", "station", titles, True, 2)
            place.text(f"{text.capitalize()} duty factor, by threshold")
            components.show_chart(duty, drawn, f"{text.capitalize()}, by threshold.", place)
    at = [row for row in duty.rows if row["threshold_mb_s"] == threshold]
    components.show_table(
        duty, ["station", "role", "direction", "n_bins", "duty_factor"], words.in_order(at, "station")
    )
    components.show_sql(duty)
    valley = page.ask("duty_valley", n_days=n_days, station=station)
    rows = words.in_order(valley.rows_of(station=station), "station")
    components.show_part(
        valley, VALLEY, rows, text="Suggested threshold between idle and active half-hours, by station"
    )
