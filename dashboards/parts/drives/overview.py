"""What did the drives do, and how fast? Their time at one glance, then what each can do against what it does."""

from typing import Any

import streamlit as st

from dashboards import components, findings, words
from dashboards.charts import drive_charts, ledger_charts, rate_charts
from dashboards.data import Asked
from dashboards.head import Page
from pipelines.primitives import format
from pipelines.primitives.text import escape_markdown
from pipelines.primitives.times import days_text

PART = {
    "title": "Overview",
    "order": 10,
    "needs": ["gold.drive_ledger"],
    "lacking": "the logs of the drives",
    "filters": ["drive"],
    "compares": True,
}
RATES = [
    "drive", "generation", "n_sessions", "n_files", "moved_gb", "drive_rate_mb_s", "nameplate_share",
    "overall_rate_mb_s", "f", "idle_hours", "down_hours",
]  # fmt: skip
MOST_NAMED = 5  # drives, in a sentence


def draw(page: Page) -> None:
    """Draw the part."""
    drive = page.chosen["drive"]
    drives = page.ask("drives")
    if not drives.rows_of(drive=drive):
        covers = f"No log covers {escape_markdown(drive)} on" if drive else "No log of drives covers"
        st.info(f"{covers} these days.")
        return
    asked = _show_one(page, drive) if drive else _show_all(page)
    asked += _show_rates(page, drives, drive)
    components.show_sql(*asked)


def _show_all(page: Page) -> list[Asked]:
    """Every drive's time."""
    found, timeline = page.ask("findings"), page.ask("drive_timeline")
    components.heading(timeline)
    marks = findings.marks(findings.ranked(found.rows), {row["drive"] for row in timeline.rows})
    chart = ledger_charts.drives(timeline.frame(), marks, page.span(), legend=True)
    components.show_chart(
        timeline, chart, "How each drive spent its time over the period; findings are marked.", zooms=True
    )
    st.caption("Triangles: findings. Choose a drive in the side bar, or in the table, to see its states and errors.")
    return [timeline, found]


def _show_one(page: Page, drive: str) -> list[Asked]:
    """One drive's states, with outages, errors and findings marked on them."""
    found, timeline, happened = page.ask("findings"), page.ask("drive_timeline"), page.ask("drive_events", drive=drive)
    components.breadcrumbs(("drives", "Drives", {}))
    components.heading(timeline, f"Drive {escape_markdown(drive)}")
    st.text(_sentence(drive, happened))
    marks = findings.marks(findings.ranked(found.rows), {drive})
    chart = drive_charts.one(timeline.frame(timeline.rows_of(drive=drive)), happened.frame(), marks, page.span())
    components.show_chart(timeline, chart, f"States of {drive}, its errors and outages.", zooms=True)
    for row in findings.ranked(found.rows):
        if drive in findings.names(row):
            findings.link(row)
    return [timeline, happened, found]


def _sentence(drive: str, happened: Asked) -> str:
    """Outages with their times, and how many errors there were."""
    down = happened.rows_of(kind="outage")
    parts = [
        f"out of service from {components.instant(row['from_at'])} to {components.instant(row['to_at'])}"
        f" ({happened.shown(row, 'lasted_hours')})"
        for row in down[:3]
    ]
    parts += [format.counted(len(down) - 3, "more time")] if len(down) > 3 else []
    others = len(happened.rows) - len(down)
    errors = f"{format.counted(others, 'event')} (such as errors and restarts)" if others else "no log shows an error"
    return f"{drive} was {', '.join(parts)}; {errors}." if parts else f"No log shows {drive} out of service; {errors}."


def _show_rates(page: Page, drives: Asked, drive: str) -> list[Asked]:
    """What drives can do against what they do, and the table."""
    components.heading(drives, "Drive rate and overall rate")
    earlier = page.ask_before("drives")
    rated = _rated(drives.rows)
    if rated:
        chart = rate_charts.rates(drives.frame(rated), earlier.frame() if earlier and earlier.rows else None, drive)
        components.show_chart(drives, chart, "Drive rate against overall rate, a point for each drive.")
    else:
        st.info("No drive has both a drive rate and an overall rate on these days.")
    if page.before:
        days = days_text(*page.before)
        then = earlier.rows if earlier else []
        if _rated(then):
            st.caption(f"Hollow points: the same drives on {days}.")
        else:
            st.caption(f"No drive has both rates on {days}." if then else f"No log of drives covers {days}.")
    rows = words.in_order(drives.rows_of(drive=drive), "drive")
    components.show_table(drives, RATES, rows)
    if estimated := _estimated(rows):
        st.caption(estimated)
    return [drives, *([earlier] if earlier else [])]


def _rated(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["drive_rate_mb_s"] and row["overall_rate_mb_s"]]


def _estimated(rows: list[dict[str, Any]]) -> str:
    """Which drive rates are an estimate, as a sentence; empty where none is.

    >>> _estimated([{"drive": "D1", "drive_rate_basis": "call"}, {"drive": "D2", "drive_rate_basis": "estimate"}])
    'The drive rate of D2 is an estimate: length of the TSM sessions less their waits, not measured at the drive.'
    >>> _estimated([{"drive": "D1", "drive_rate_basis": "call"}])
    ''
    """
    names = [escape_markdown(row["drive"]) for row in rows if row["drive_rate_basis"] == "estimate"]
    every = "all drives" if len(names) == len(rows) > 1 else format.listed(names, MOST_NAMED)
    return f"The drive rate of {every} is an {format.BASES['estimate']}." if names else ""
