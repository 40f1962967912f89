"""One mount: what its drive did, the way through the tape's files, and the log lines around its longest steps."""

from typing import Any

import streamlit as st

from dashboards import components, data, fields, head, state
from dashboards.charts import mount_charts, tape_charts
from dashboards.tables import Rows
from pipelines.primitives import format
from pipelines.primitives.clock import site_days
from pipelines.primitives.text import escape_markdown

PAGE = {"title": "Mount", "order": 35, "listed": False}
FILES = ["number", "file_number", "started_at", "volume_gb", "position_s", "begin_gb"]
MOST_INTERVALS = 3

page = head.open_page("")
chosen = state.value("id")
every_day = {"first_day": page.site["first_day"], "last_day": page.site["last_day"]}
mounts = page.ask("session_rates", session=chosen, **every_day) if chosen else page.ask("session_rates", n=12)
mount = next((row for row in mounts.rows if row["session_id"] == chosen), None)
if mount is None:
    st.title("Which mount?", anchor=False)
    if chosen:
        st.info(f"No mount that moved files has the id “{escape_markdown(chosen, 80)}”.")
    state.link("time/mounts", "All mounts of the period")
    state.stop()
state.keep("id", chosen)
path, timeline = page.ask("mount_path", session=chosen), page.ask("mount_timeline", session=chosen)


def facts(mount: dict[str, Any]) -> str:
    """A mount in one line."""
    whole = f" in {format.quantity(mount['wall_s'], 's')}" if mount["wall_s"] is not None else ""
    text = f"{format.counted(mount['n_files'], 'file')}, {mounts.shown(mount, 'volume_gb')} ({mount['mode']}){whole}"
    if mount["f"] is not None:
        text += (
            f": {mounts.shown(mount, 'overall_rate_mb_s')} overall rate;"
            f" {mounts.shown(mount, 'drive_rate_mb_s')} drive rate; efficiency {format.percent(mount['f'])}"
        )
    return f"{text}."


def longest(rows: Rows) -> dict[str, float]:
    """Seconds of each state, the most first; the time that moved data last, because it needs no proof."""
    spent: dict[str, float] = {}
    for row in rows:
        spent[row["state"]] = spent.get(row["state"], 0.0) + row["interval_s"]
    return dict(sorted(spent.items(), key=lambda one: (one[0] == "transfer", -one[1])))


components.breadcrumbs(
    ("drives", "Drives", {}), ("drives", mount["drive"], {"drive": mount["drive"]}), ("time/mounts", "Mounts", {})
)
st.title(f"Tape {escape_markdown(mount['volume'] or 'unknown')} in {escape_markdown(mount['drive'])}", anchor=False)
st.text(f"{components.instant(mount['requested_at'])}: {facts(mount)}" if mount["requested_at"] else facts(mount))
with st.container(horizontal=True):
    if mount["volume"]:
        state.link("tapes", f"Tape {escape_markdown(mount['volume'])}", tape=mount["volume"])
    if mount["station"]:
        state.link("stations", f"Station {escape_markdown(mount['station'])}", station=mount["station"])

components.heading(timeline)
spent = longest(timeline.rows)
if spent:
    components.show_chart(timeline, mount_charts.timeline(timeline.frame()), "The states of the drive in time order.")
else:
    st.info("No log gives times for the states of the drive in this mount.")

components.heading(path)
if path.rows:
    titles = {
        "number": "order in the mount",
        "file_number": "file number on the tape",
        "position_s": path.label("position_s"),
    }
    components.show_chart(
        path, tape_charts.way(path.frame(), titles), "Files of the mount in the order in which they were moved."
    )
    components.show_table(path, FILES)
else:
    st.info("No log lists the files of this mount.")

if spent:
    st.header("Log lines around the longest intervals of a state", anchor=False)
    named = {row["state"]: row["state_words"] for row in timeline.rows}
    text = {name: f"{named[name]}: {format.quantity(seconds, 's')}" for name, seconds in spent.items()}
    bucket = fields.choose("state", "State", list(spent), text, st)
    begins = max(timeline.rows_of(state=bucket), key=lambda row: row["interval_s"])["from_at"]
    (day,) = site_days(begins, begins, page.site["zone"])
    components.show_intervals(data.drilled(page.snapshot, mount["drive"], bucket, day, chosen, MOST_INTERVALS))
components.show_sql(mounts, timeline, path)
