"""When was a drive down, until when, and what failed? With the log line of each."""

from itertools import chain

import streamlit as st

from dashboards import components, data, fields, words
from dashboards.charts import drive_charts
from dashboards.data import Asked
from dashboards.head import Page
from dashboards.tables import Rows

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
    _show_longest(page, found, rows)
    components.show_sql(found)


def _show_longest(page: Page, found: Asked, rows: Rows) -> None:
    """The log lines of the longest, each as its file has it, else what the warehouse keeps of it."""
    st.header("Log lines of the longest outages and errors", anchor=False)
    longest = sorted(rows, key=lambda row: (row["kind"] != "outage", -(row["lasted_hours"] or 0)))[:MOST_LINES]
    ends = {
        id(row): [(row[f"{end}path"], row[f"{end}line_no"], row[f"{end}message"]) for end in ("", "end_")]
        for row in longest
    }
    numbers: dict[str, set[int]] = {}
    for path, number, _ in chain.from_iterable(ends.values()):
        if path and number is not None:
            numbers.setdefault(path, set()).add(number)
    texts = {path: data.lines(page.snapshot, path, of_path) for path, of_path in numbers.items()}
    for row in words.in_order(longest, "drive"):
        until = f" until {components.instant(row['to_at'])}" if row["to_at"] else ""
        lasted = f", {found.shown(row, 'lasted_hours')}" if row["lasted_hours"] else ""
        st.text(f"{row['drive']}: {row['what']}, {components.instant(row['from_at'])}{until}{lasted}")
        components.show_lines(
            *((path, number, _text(texts.get(path), number, kept)) for path, number, kept in ends[id(row)])
        )


def _text(read: dict[int, str] | str | None, number: int | None, kept: str | None) -> str | None:
    return read.get(number or 0, kept) if isinstance(read, dict) else kept
