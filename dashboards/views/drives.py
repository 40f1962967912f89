"""Is this drive slow, or unlucky? Each beside its peers, tapes taken out; failures, and which host serves it."""

import streamlit as st

from dashboards import charts, components, fields, state
from dashboards.charts import model_charts
from dashboards.data import Asked

PAGE = {"title": "Drives", "order": 50}
RATES = [
    "drive", "generation", "n_sessions", "moved_gb", "drive_rate_mb_s", "drive_rate_basis", "nameplate_share",
    "overall_rate_mb_s", "f",
]  # fmt: skip
ERRORS = [
    "drive", "n_mounts", "volume_gb", "n_failed_transfers", "n_failed_mounts", "drive_read_errors",
    "drive_write_errors", "uncorrected_errors", "block_retries", "n_alerts",
]  # fmt: skip
STOPS = ["drive", "n_outages", "n_restarts", "n_cleanings", "most_volumes_failed", "lost_hours", "down_hours"]
EFFECT = [
    "drive",
    "volume",
    "mode",
    "ratio",
    "ratio_low",
    "ratio_high",
    "rate_mb_s",
    "n_files",
    "n_errors",
    "n_block_retries",
    "summary",
]
MOVERS = ["generation", "mode", "mover_host", "n_drives", "n_files", "drive_rate_mb_s", "ratio_to_best"]
COUNTED = [
    "drive", "host", "device", "sampled_hours", "busy_share", "read_gb", "written_gb", "drive_rate_mb_s",
    "overall_rate_mb_s", "f", "note",
]  # fmt: skip
TURNS = ["drive", "n_read", "n_write", "n_mixed", "n_turns", "turn_share", "turn_hours", "n_came_back", "least_back_h"]
SLOW = ["drive", "volume", "station", "mode", "n_files", "volume_gb", "drive_rate_mb_s", "f"]
ROBOTS = [
    "robot",
    "n_drives",
    "n_alone",
    "alone_s",
    "n_together",
    "together_s",
    "step_s",
    "waited_hours",
    "concurrency",
]
MOST_DRAWN = 40


def show_hours(page: components.Page, drives: Asked, chosen: components.Rows) -> None:
    """Rates and hours of drives whose work a log tells."""
    components.heading(drives, "Rates and hours")
    rated = [row for row in drives.rows if row["drive_rate_mb_s"] is not None]
    if rated:
        titles = {
            "drive_rate_mb_s": drives.label("drive_rate_mb_s"),
            "overall_rate_mb_s": drives.label("overall_rate_mb_s"),
        }
        tips = ["drive:N", "generation:N", *(charts.number(name, title) for name, title in titles.items())]
        shown = charts.points(drives.frame(rated), "drive_rate_mb_s", "overall_rate_mb_s", "generation", titles, tips)
        components.show_chart(drives, shown, "What a drive can do against what it does over its mounts.")
    components.show_table(drives, RATES, chosen)
    earlier = page.ask_before("drives")
    if earlier and page.before:
        st.caption(f"The same from {page.before[0]} to {page.before[1]}:")
        if earlier.rows:
            components.show_table(earlier, RATES, earlier.rows_of(drive=drive))
        else:
            st.info("No server log covers these days.")
    st.text("Their hours:")
    groups = dict.fromkeys(row["time_group"] for row in reversed(page.ask("drive_time_buckets").rows))
    components.show_table(drives, ["drive", *(f"{name}_hours" for name in groups)], chosen)
    components.show_sql(drives, *([earlier] if earlier else []))


page = components.open_page("Is this drive slow, or unlucky?", "drive", compares=True)
drive = page.chosen["drive"]
drives, health = page.ask("drives"), page.ask("drive_health", drive=drive)
chosen = drives.rows_of(drive=drive)
if chosen:
    show_hours(page, drives, chosen)
else:
    st.info("No server log tells of drives in this period. Choose other days, or load logs with `tapescope run`.")
    if not health.rows:  # else their own counters were read
        state.stop()

effect = page.ask("slow_drive_or_tape")
components.heading(effect)
st.caption("Of large files, drives and tapes apart: 1 is the typical one of its kind. Lines are 90 % intervals.")
kind = fields.choose("of", "Of", ["drives", "tapes"], page=st)
name = "drive" if kind == "drives" else "volume"
estimated = [row for row in effect.rows_of(drive=drive if name == "drive" else "") if row[name] and row["can_tell"]]
if estimated:
    frame = effect.frame(estimated[:MOST_DRAWN])
    components.show_chart(effect, model_charts.intervals(frame, name, "times the typical one"))
    components.say_cut(effect, len(estimated[:MOST_DRAWN]), len(estimated))
else:
    st.info("No drive shared enough tapes with others to be told apart from them: what it lacks stands in the table.")
components.show_table(effect, EFFECT, [row for row in effect.rows_of(drive=drive) if row[name]], 300, {"summary": 300})
components.show_sql(effect)

components.heading(health)
if health.rows:
    components.show_table(health, ERRORS)
    components.show_table(health, STOPS)
else:
    st.info("No drive did, or failed to do, anything.")
components.show_sql(health)
for name, columns, lacking in (
    ("drive_turns", TURNS, "No mount moved files."),
    ("robot_waits", ROBOTS, "No mount is known from request to loaded."),
):
    found = page.ask(name, drive=drive)
    components.show_part(found, columns, lacking=lacking, whole=page, by=["drive"] if name == "drive_turns" else [])
components.show_part(page.ask("rates_by_mover"), MOVERS, whole=page)
counted = page.ask("drive_counters")
lacking = "No counters of drives were read: node_exporter's tapestats collector and tapestat have them."
components.show_part(counted, COUNTED, counted.rows_of(drive=drive), lacking=lacking)
slow = page.ask("session_rates", slowest="drive", min_gb=50, drive=drive)
components.show_part(slow, SLOW, text="The slowest mount of each drive, of at least 50 GB")
