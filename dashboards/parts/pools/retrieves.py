"""What does a limit on drives cost ENDIT's retrieves, and which tapes are asked for again and again?"""

import polars as pl
import streamlit as st

from dashboards import charts, components
from dashboards.charts import bars
from dashboards.head import Page

PART = {
    "title": "Retrieves by tape",
    "order": 70,
    "needs": ["silver.endit_run", "silver.endit_recall"],
    "lacking": "the logs of ENDIT's retriever, and its hint file",
}
RETRIEVES = [
    "day", "pool", "n_runs", "n_not_done", "read_gb", "worker_mb_s", "reading_hours", "mean_workers", "waiting_hours",
    "lone_hours", "lone_share", "foregone_gb",
]  # fmt: skip
RECALLS = [
    "system", "volume", "n_files", "n_mounts", "n_alone", "n_avoidable_mounts", "spared_share", "n_unknown",
]  # fmt: skip
HOURS = {"reading_hours": "reading", "waiting_hours": "tapes waiting"}
MOUNTS = {"needed": "needed", "n_avoidable_mounts": "avoidable"}


def draw(page: Page) -> None:
    """Draw the part."""
    streams, recalls = page.ask("retrieve_streams"), page.ask("recalls_by_volume")
    if streams.rows:
        components.heading(streams)
        named = streams.frame().with_columns(who=charts.joined("pool", "day"))
        chart = bars.stacked(named, "who", HOURS, "hours [h]", "h")
        components.show_chart(
            streams,
            chart,
            "Hours in which ENDIT read tapes, and hours in which tapes waited, by pool and day. The two kinds of hours"
            " can overlap.",
        )
        components.show_table(streams, RETRIEVES)
        components.show_sql(streams)
    if recalls.rows:
        components.heading(recalls)
        tapes = recalls.frame().drop_nulls("volume")  # the rows without a tape are sums
        top = tapes.with_columns(needed=pl.col("n_mounts") - pl.col("n_avoidable_mounts").fill_null(0)).sort(
            "n_mounts", "volume", descending=[True, False]
        )
        if top.height:
            components.show_chart(
                recalls, bars.stacked(top, "volume", MOUNTS, "mounts", ""), "Needed and avoidable mounts of each tape."
            )
        components.show_table(recalls, RECALLS)
        components.show_sql(recalls)
    if not (streams.rows or recalls.rows):
        st.text("No log shows a retrieve in this period.")
        components.show_sql(streams, recalls)
