"""The page of one tape: its mounts, its map, and which drives read and wrote it."""

import altair as alt
import polars as pl
import streamlit as st

from dashboards import components, fields, head, state, tape_maps
from dashboards.charts import bars
from pipelines.primitives import format
from pipelines.primitives.text import escape_markdown
from pipelines.primitives.times import day_text

MOUNTS = [
    "session_id", "requested_at", "drive", "mode", "storage_group", "pattern", "n_files", "volume_gb", "file_share",
    "overall_rate_mb_s", "f", "wall_s", "position_s",
]  # fmt: skip
FILES = ["file_number", "begin_gb", "end_gb", "generation"]


def show(volume: str) -> None:
    """Draw it. All days with data count: a tape is mounted on few of them."""
    page = head.open_page("")
    state.link("tapes", "← Tapes and recalls")
    st.title(f"Tape {escape_markdown(volume, 60)}", anchor=False)
    mounts = page.ask("session_rates", volume=volume, first_day=page.site["first_day"], last_day=page.site["last_day"])
    contents = page.ask("tape_contents", volume=volume)
    state.keep("tape", volume)
    if not (mounts.rows or contents.rows):
        st.text(
            "No log or list names a file on a tape with this label, and no log shows that a mount of this tape moved"
            " files."
        )
        components.show_sql(mounts, contents)
        return
    rows = sorted(mounts.rows, key=lambda row: (str(row["requested_at"] or row["day"]), row["session_id"]))
    moved = sum(row["volume_gb"] or 0 for row in rows)
    last = f", last on {day_text(rows[-1]['day'])}" if rows else ""
    st.markdown(
        f"**{format.counted(len(rows), 'mount')}{last}; {format.quantity(moved, 'GB')} moved in total.**"
        f" {format.counted(len(contents.rows), 'file')} on this tape"
        f" {'is' if len(contents.rows) == 1 else 'are'} known."
    )
    if rows:
        session = fields.choose("mount", "Mount (latest first)", [row["session_id"] for row in rows[::-1]], page=st)
        tape_maps.show(page, volume, session)
        components.heading(mounts, "Hours of this tape's mounts, by drive")
        components.show_chart(mounts, _by_drive(mounts.frame()), "Hours of this tape's mounts, by drive.")
        components.show_table(mounts, MOUNTS, rows)
        components.show_sql(mounts)
    if contents.rows and rows:  # its SQL is under the map
        components.heading(contents)
        components.show_table(contents, FILES)
    elif contents.rows:
        components.show_part(contents, FILES)


def _by_drive(rows: pl.DataFrame) -> alt.Chart:
    """Hours in each drive, by what was done there."""
    hours = rows.with_columns(pl.col("mode").fill_null("unknown"), hours=pl.col("wall_s").fill_null(0) / 3600)
    modes = sorted(hours["mode"].unique())
    wide = hours.group_by("drive").agg(
        *(pl.col("hours").filter(pl.col("mode") == mode).sum().alias(mode) for mode in modes)
    )
    ordered = wide.sort(pl.sum_horizontal(modes), "drive", descending=[True, False])
    return bars.stacked(ordered, "drive", {mode: mode for mode in modes}, "mounted [h]", "h")
