"""Should it have read the whole tape? Mounts that picked files, against reading all of them."""

import polars as pl
import streamlit as st

from dashboards import components
from dashboards.charts import tape_charts
from dashboards.head import Page

PART = {
    "title": "Whole tape or files",
    "order": 40,
    "needs": ["gold.mount"],
    "lacking": "logs of mounts",
    "filters": ["group", "station", "drive"],
}
TABLE = [
    "session_id", "volume", "drive", "requested_at", "pattern", "n_files", "byte_share", "drive_rate_mb_s", "f",
    "wall_s", "whole_s", "is_whole_quicker", "break_even",
]  # fmt: skip


def draw(page: Page) -> None:
    """Draw the part: the answer in a sentence, then all mounts, those that should have read it all first."""
    found = page.ask("whole_tape_reads")
    rows = found.rows_of(drive=page.chosen["drive"])
    if page.chosen["group"] or page.chosen["station"]:
        mounts = page.ask("session_rates", **page.chosen)
        mounted = {mount["session_id"] for mount in mounts.rows}
        rows = [row for row in rows if row["session_id"] in mounted]
    components.heading(found)
    timed = [row for row in rows if row["whole_s"] and row["byte_share"] != 1]  # the others read the whole tape
    n_quicker = sum(row["is_whole_quicker"] or False for row in timed)
    if not timed:
        st.markdown(
            "No log shows a mount that read some files of a tape whose files are known. Read an export of the archive's"
            " file table, or logs of mounts that read whole tapes, with `tapescope run`."
        )
    elif n_quicker:
        st.warning(
            f"In {n_quicker} of {len(timed)} mounts, reading the whole tape would have been faster than reading some of"
            " its files."
        )
    else:
        st.text(
            "Reading the whole tape would not have been faster than reading some of its files in any of"
            f" {len(timed)} mounts."
        )
    if timed:
        hours = found.frame(timed).with_columns(
            wall_hours=pl.col("wall_s") / 3600,
            whole_hours=pl.col("whole_s") / 3600,
            verdict=pl.when(pl.col("is_whole_quicker"))
            .then(pl.lit(tape_charts.QUICKER))
            .otherwise(pl.lit(tape_charts.RIGHT)),
        )
        components.show_chart(
            found, tape_charts.whole_or_picked(hours), "Duration of each mount against the time to read the whole tape."
        )
        components.show_table(found, TABLE, rows)
    components.show_sql(found)
