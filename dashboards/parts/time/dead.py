"""How long drives wait with a tape in them, for what, and whether the next file was ready."""

import polars as pl
import streamlit as st

from dashboards import charts, components
from dashboards.charts import hour_charts
from dashboards.head import Page

PART = {
    "title": "Dead time",
    "order": 25,
    "needs": ["silver.gap"],
    "lacking": "logs with times for each file: Enstore's movers, CTA's tape daemon",
    "filters": ["station", "drive"],
}
DEAD = [
    "drive", "share", "dead_hours", "filemark_hours", "checksum_hours", "database_hours", "no_request_hours",
    "request_hours", "position_hours", "start_hours",
]  # fmt: skip
SPLIT = ["station", "n_gaps", "p50_s", "p95_s", "ready_share", "metadata_hours", "starved_hours"]


def draw(page: Page) -> None:
    """Draw the part."""
    drive = page.chosen["drive"]
    dead = page.ask("dead_time", drive=drive)
    components.heading(dead)
    page.say_not_narrowed("station", "These hours include the mounts of all stations; only the table below is narrowed")
    hours = [row for row in dead.rows if row["hour_at"]]
    if hours:
        is_daily = hour_charts.step_of(page.n_days) != "hour"
        frame = _by_day(dead.frame(hours)) if is_daily else dead.frame(hours)
        step = "day" if is_daily else "hour"
        title = "dead time as a share of the hour"
        if is_daily:
            title = "dead time ÷ number of hours of the day in which the drive had dead time"
        tips = ["drive:N", charts.instant("hour_at", step), charts.share("share", title)]
        tips += [charts.number(name, dead.label(name)) for name in DEAD[2:]]
        chart = charts.heat_map(
            frame,
            "drive",
            "share",
            title,
            tips,
            page.span(),
            charts.RED,
            daily=is_daily,
        )
        components.show_chart(dead, chart, zooms=True)
        st.caption(f"Empty: the drive had no gap between files in that {step}, or no log covers the {step}.")
        components.show_table(dead, DEAD, [row for row in dead.rows if not row["hour_at"]])
    else:
        st.info("No log shows dead time between files in this period.")
    split = page.ask("gaps_and_spool", longer_than_s=0, drive=drive)
    components.heading(split, "Was the next file ready?")
    components.show_table(split, SPLIT, split.rows_of(station=page.chosen["station"]))
    components.show_sql(dead, split)


def _by_day(hours: pl.DataFrame) -> pl.DataFrame:
    """Hours summed to days; the share is of the hours that have one."""
    whole = (pl.col("dead_hours") / pl.col("share")).fill_nan(None)
    names = DEAD[2:]
    return (
        hours.with_columns(whole_hours=whole, hour_at=pl.col("hour_at").dt.truncate("1d"))
        .group_by("drive", "hour_at")
        .agg(pl.sum(*names, "whole_hours"))
        .with_columns(share=pl.col("dead_hours") / pl.col("whole_hours"))
    )
