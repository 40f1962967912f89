"""Does a drive become slower, or fail more often? Its rate and its errors over the weeks before."""

import streamlit as st

from dashboards import components, fields, words
from dashboards.charts import drive_charts
from dashboards.data import Asked
from dashboards.head import Page
from pipelines.primitives.text import escape_markdown

PART = {
    "title": "Over the weeks",
    "order": 60,
    "needs": ["gold.tape_traffic", "gold.drive_health"],
    "lacking": "the logs of the drives",
    "filters": ["drive"],
}
MOST_LINES = 7
TREND = [
    "drive", "step_from", "n_mounts", "moved_gb", "drive_rate_mb_s", "n_failed", "n_errors", "down_hours", "lost_hours",
]  # fmt: skip
DAYS = {"week": 182, "day": 35, "month": 1096}
ERRORS = {
    "n_failed": "transfers, mounts and dismounts that failed",
    "n_errors": "read and write errors that the drive counted",
    "down_hours": "hours down",
}
WORDS = {"day": "day by day, five weeks", "week": "week by week, half a year", "month": "month by month, three years"}


def draw(page: Page) -> None:
    """Draw the part."""
    drive = page.chosen["drive"]
    n_known = (page.last - page.site["first_day"]).days + 1
    usual = "day" if n_known <= DAYS["day"] else "week"
    step = fields.choose("step", "Resolution", sorted(DAYS, key=usual.__ne__), WORDS, st)
    found = page.ask("drive_trend", drive=drive, step=step, n_days=DAYS[step])
    components.heading(found, f"{escape_markdown(drive) or 'Drives'} {WORDS[step].partition(',')[0]}")
    if not found.rows:
        st.info("No log of drives covers these days.")
        return
    n_steps = len({row["step_from"] for row in found.rows})
    if n_steps > 1:
        _show_lines(found, step)
    else:
        st.text(f"The logs of drives cover only one {step}: a trend needs two.")
    rows = words.in_order(found.rows, "drive")
    components.show_table(found, TREND, sorted(rows, key=lambda row: row["step_from"], reverse=True))
    components.show_sql(found)


def _show_lines(found: Asked, step: str) -> None:
    """Rates, and what failed, of the drives that moved most."""
    moved: dict[str, float] = {}
    for row in found.rows:
        moved[row["drive"]] = moved.get(row["drive"], 0.0) + row["moved_gb"]
    names = sorted(moved, key=lambda name: -moved[name])[:MOST_LINES]
    frame = found.frame([row for row in found.rows if row["drive"] in names])
    components.show_chart(found, drive_charts.trend(frame, "drive_rate_mb_s", found.label("drive_rate_mb_s"), step))
    if len(moved) > MOST_LINES:
        st.caption(
            f"Of {len(moved)} drives, the {MOST_LINES} that moved most data are shown; choose another in the side bar."
        )
    value = fields.choose("count", "Value to show in the second chart", list(ERRORS), ERRORS, st)
    components.show_chart(found, drive_charts.trend(frame, value, ERRORS[value], step), f"{ERRORS[value]}.")
