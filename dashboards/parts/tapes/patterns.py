"""Who asks for a tape's files together, and who for one at a time."""

import polars as pl
import streamlit as st

from dashboards import charts, components
from dashboards.charts import bars
from dashboards.head import Page
from pipelines.primitives import format

PART = {
    "title": "Organised or chaotic",
    "order": 30,
    "needs": ["gold.mount"],
    "lacking": "logs of mounts",
    "filters": ["group"],
}
CLASSES = [
    "storage_group", "mode", "n_mounts", "mount_hours", "efficiency", "organised_share", "chaotic_share", "class",
]  # fmt: skip
SHARES = {"organised_share": "organised", "between": "between", "chaotic_share": "chaotic"}


def draw(page: Page) -> None:
    """Draw the part."""
    classes = page.ask("traffic_classes")
    rows = classes.rows_of(storage_group=page.chosen["group"])
    components.heading(classes)
    if not rows:
        st.text("No log shows a complete mount, from request to dismount, with a measured drive rate in this period.")
    else:
        shares = classes.frame(rows).with_columns(
            between=1 - pl.col("organised_share") - pl.col("chaotic_share"), who=charts.joined("storage_group", "mode")
        )
        chart = bars.stacked(shares, "who", SHARES, "share of the mounts' drive-hours", format.SHARE)
        components.show_chart(
            classes, chart, "Shares of organised and chaotic mounts in the drive-hours of each storage group."
        )
        components.show_table(classes, CLASSES, rows)
    components.show_sql(classes)
