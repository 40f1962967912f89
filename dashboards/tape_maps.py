"""A tape as a map: the places of its files, and the way of a mount through them."""

import polars as pl
import streamlit as st

from dashboards import components
from dashboards.charts import tape_charts
from dashboards.head import Page
from pipelines.analysis.forecast import laid_out


def show(page: Page, volume: str, session: str) -> None:
    """The way of one mount next to the map of its tape, with what the mount moved in colour."""
    path, contents = page.ask("mount_path", session=session), page.ask("tape_contents", volume=volume)
    components.heading(path, "The order in which this mount moved the tape's files, and their positions")
    left, right = st.columns(2)
    titles = {
        "number": "order in the mount",
        "file_number": "file number on the tape",
        "position_s": path.label("position_s"),
    }
    if path.rows:
        components.show_chart(
            path,
            tape_charts.way(path.frame(), titles),
            "Files of the mount in the order in which they were moved.",
            left,
        )
    else:
        left.text("No log shows the positions of this mount's files on the tape.")
    if places := laid_out(contents.rows):
        read = {row["file_number"] for row in path.rows}
        chart = tape_charts.serpentine(pl.DataFrame(places), read)
        components.show_chart(
            contents, chart, "Position of each file on the tape: its wrap, and metres along the tape.", right
        )
    else:
        right.text(
            "The positions of the tape's files are unknown: no log or list names its files, or the number and length of"
            " its tracks are unknown."
        )
    components.show_sql(path, contents)
