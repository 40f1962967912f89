"""Which mounts lost most time? Each as a dot over the period, and as a row that leads to its page."""

import streamlit as st

from dashboards import components
from dashboards.charts import mount_charts
from dashboards.head import Page

PART = {
    "title": "Slowest mounts",
    "order": 50,
    "needs": ["gold.mount"],
    "lacking": "logs of mounts",
    "filters": ["drive", "station", "group"],
}
MOST_DRAWN = 1500
MOUNTS = [
    "session_id", "drive", "volume", "station", "mode", "requested_at", "wall_s", "n_files", "volume_gb",
    "drive_rate_mb_s", "overall_rate_mb_s", "f",
]  # fmt: skip


def draw(page: Page) -> None:
    """Draw the part."""
    mounts = page.ask("session_rates", n=components.ASKED_MOUNTS, **page.chosen)
    components.heading(mounts, "Mounts that lost the most time")
    timed = [row for row in mounts.rows if row["requested_at"] and row["overall_rate_mb_s"] is not None]
    if not mounts.rows:
        st.info("No log shows a mount that moved files in this period.")
    if timed:
        drawn = mounts.frame(timed[:MOST_DRAWN])
        components.show_chart(
            mounts,
            mount_charts.rates(drawn, page.span()),
            "Each mount as a point at the time of its request.",
            zooms=True,
        )
        components.say_cut(mounts, len(timed[:MOST_DRAWN]), len(timed))
    components.show_table(mounts, MOUNTS)
    components.show_sql(mounts)
