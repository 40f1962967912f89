"""Which drives served TSM and ENDIT, how long they held a tape, and who moved how much?"""

import polars as pl
import streamlit as st

from dashboards import charts, components
from dashboards.charts import bars
from dashboards.data import Asked
from dashboards.head import Page

PART = {
    "title": "Drives of TSM and ENDIT",
    "order": 60,
    "needs": ["silver.listed_mount", "silver.tsm_session", "silver.endit_run"],
    "lacking": "TSM's table SUMMARY, activity log or accounting file, a library's history of mounts, or ENDIT's logs",
}
SERVED = [
    "system", "drive", "pool", "operation", "n_runs", "n_volumes", "n_files", "moved_gb", "median_wait_s",
    "shared_hours", "overall_mb_s",
]  # fmt: skip
DRIVES = [
    "system", "library", "drive", "n_mounts", "n_volumes", "n_repeats", "mounted_hours", "mounted_share", "moved_gb",
    "overall_mb_s", "median_minutes",
]  # fmt: skip
SESSIONS = [
    "system", "activity", "entity", "n_sessions", "n_not_ok", "moved_gb", "shared_gb", "hours", "overall_mb_s",
    "media_wait_share", "idle_share",
]  # fmt: skip


def draw(page: Page) -> None:
    """Draw the part: what no log of the period has does not show."""
    drives, served, sessions = (page.ask(name) for name in ("listed_drives", "endit_drives", "tsm_sessions"))
    if drives.rows:
        _draw_bars(drives, ("drive",), "mounted_hours", DRIVES)
    if served.rows:
        _draw_bars(served, ("drive", "pool"), "moved_gb", SERVED)
    if sessions.rows and drives.rows and served.rows:
        components.show_closed(sessions, SESSIONS)
    elif sessions.rows:
        components.show_part(sessions, SESSIONS)
    if not (drives.rows or served.rows or sessions.rows):
        st.text("No log shows a mount or session of TSM or ENDIT in this period.")
        components.show_sql(drives, served, sessions)


def _draw_bars(found: Asked, who: tuple[str, ...], value: str, columns: list[str]) -> None:
    components.heading(found)
    named = found.frame().with_columns(who=charts.joined(*who)).group_by("who").agg(pl.sum(value), pl.first("drive"))
    top = named.filter(pl.col(value) > 0).sort(value, "who", descending=[True, False])
    if top.height:
        components.show_chart(
            found,
            bars.single(top, "who", value, found.label(value), link="drive"),
            "Drives with the largest value come first.",
        )
    components.show_table(found, columns)
    components.show_sql(found)
