"""When was a drive down, until when, and what failed? With the log line of each."""

import streamlit as st

from dashboards import components, data, fields, words
from dashboards.charts import drive_charts
from dashboards.head import Page

PART = {
    "title": "Errors and outages",
    "order": 30,
    "needs": ["silver.event", "gold.drive_outage"],
    "lacking": "logs of the drives",
    "filters": ["drive"],
}
EVENTS = ["drive", "what", "from_at", "to_at", "lasted_hours", "volume", "error", "message", "end_message"]
EVERY = "everything"
MOST_LINES = 6


def draw(page: Page) -> None:
    """Draw the part."""
    found = page.ask("drive_events", drive=page.chosen["drive"])
    components.heading(found)
    if not found.rows:
        st.info(f"The logs of these days have no error and no outage of {page.chosen['drive'] or 'any drive'}.")
        components.show_sql(found)
        return
    kinds = sorted({row["what"] for row in found.rows})
    what = fields.choose("what", "Show", [EVERY, *kinds], page=st)
    rows = [row for row in found.rows if what in (EVERY, row["what"])]
    components.show_chart(found, drive_charts.events(found.frame(rows), page.span()), zooms=True)
    components.show_table(found, EVENTS, rows)
    longest = sorted(rows, key=lambda row: (row["kind"] != "outage", -(row["lasted_hours"] or 0)))
    st.header("Log lines of the longest", anchor=False)
    for row in words.in_order(longest[:MOST_LINES], "drive"):
        until = f" until {components.instant(row['to_at'])}" if row["to_at"] else ""
        lasted = f", {found.shown(row, 'lasted_hours')}" if row["lasted_hours"] else ""
        st.text(f"{row['drive']}: {row['what']}, {components.instant(row['from_at'])}{until}{lasted}")
        components.show_lines(
            _line(page, row["path"], row["line_no"], row["message"]),
            _line(page, row["end_path"], row["end_line_no"], row["end_message"]),
        )
    components.show_sql(found)


def _line(
    page: Page, path: str | None, number: int | None, kept: str | None
) -> tuple[str | None, int | None, str | None]:
    """A line as its file has it, else what the warehouse keeps of it."""
    if path is None or number is None:
        return path, number, kept
    read = data.lines(page.snapshot, path, range(number, number + 1))
    return path, number, kept if isinstance(read, str) else read.get(number, kept)
