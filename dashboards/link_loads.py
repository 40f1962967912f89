"""How full links were, hour by hour: a heat map scaled so that differences show, and the fullest hours."""

import polars as pl
import streamlit as st

from dashboards import charts, components, zone
from dashboards.charts import series
from dashboards.charts.series import MOST_HOURLY_DAYS
from dashboards.data import Asked
from dashboards.head import Page
from pipelines.primitives import format
from pipelines.primitives.text import escape_markdown

TABLE = ["link", "station", "direction", "from_at", "avg_mb_s", "max_mb_s", "capacity_mb_s", "max_share"]
FULLEST = 10  # rows
MOST_LINKS = 24  # of the heat map: those with the highest peaks


def show(page: Page, loads: Asked) -> None:
    """Draw them."""
    if not loads.rows:
        st.text("No log shows a link's traffic in this period.")
        components.show_sql(loads)
        return
    has_capacity = any(row["max_share"] is not None for row in loads.rows)
    value = "max_share" if has_capacity else "max_mb_s"
    fullest = sorted(loads.rows, key=lambda row: -(row[value] or 0))
    _say(fullest[0], value)
    frame = loads.frame().with_columns(log=charts.joined("link", "direction"), to_at=ends(page)).drop_nulls(value)
    order = frame.group_by("log").agg(pl.max(value)).sort(value, descending=True)["log"].head(MOST_LINKS)
    title = (
        "highest peak of the hour or day, as a share of the link's capacity"
        if has_capacity
        else "highest peak of the hour or day [MB/s]"
    )
    chart = series.heat(frame.filter(pl.col("log").is_in(order.to_list())), value, title, page.span())
    components.heading(loads, "Load of network links")
    components.show_chart(
        loads, chart, "Load of the links by hour or day: the darker the cell, the higher the load.", zooms=True
    )
    st.caption(
        "The scale ends at the highest peak of the period. A cell is empty if no log covers its time."
        " If the scale is a share of capacity, links with unknown capacity are left out."
        + (
            f" The chart has {MOST_LINKS} of {frame['log'].n_unique()} link directions: those with the highest load."
            if frame["log"].n_unique() > MOST_LINKS
            else ""
        )
    )
    st.text("Times and links with the highest load:")
    components.show_table(loads, TABLE, fullest, most=FULLEST)
    components.show_sql(loads)


def ends(page: Page) -> pl.Expr:
    """The ends of the hours, or of the site days, of which 23 to 25 hours are one."""
    begin = pl.col("from_at")
    is_daily = page.n_days > MOST_HOURLY_DAYS
    return (
        begin.map_elements(zone.day_end, return_dtype=pl.Datetime("us")) if is_daily else begin + pl.duration(hours=1)
    )


def _say(row: dict[str, object], value: str) -> None:
    """The fullest link as a sentence."""
    name = f"{escape_markdown(str(row['link']))} ({row['direction']})"
    if value == "max_share":
        share = format.percent(float(row["max_share"] or 0))  # type: ignore[arg-type]
        st.markdown(f"**The link with the highest load, {name}, peaked at {share} of its capacity.**")
    else:
        peak = format.quantity(float(row["max_mb_s"] or 0), "MB/s")  # type: ignore[arg-type]
        st.markdown(f"**The link with the highest load, {name}, peaked at {peak}. The links' capacity is unknown.**")
