"""Where did the drive-hours go? From all of them down to those in which data moved; which drive, at which hour."""

import polars as pl
import streamlit as st

from dashboards import charts, components, fields, words
from dashboards.charts import hour_charts, ledger_charts
from dashboards.data import Asked
from dashboards.head import Page
from pipelines.primitives import format
from pipelines.primitives.text import escape_markdown
from pipelines.primitives.times import days_text

PART = {
    "title": "Overview",
    "order": 10,
    "needs": ["gold.drive_ledger"],
    "lacking": "the logs of the drives: Enstore, CTA, TSM, or counters of node_exporter",
    "filters": ["drive"],
    "compares": True,
}
SHARES = {
    "busy_share": "at work",
    "moving_share": "moving data, without waits",
    "lost_share": "at work, but not moving data",
}


def draw(page: Page) -> None:
    """Draw the part."""
    drive = page.chosen["drive"]
    steps = page.ask("ledger_waterfall", drive=drive)
    if not steps.rows:
        st.info("No log of drives covers these days.")
        return
    earlier = page.ask_before("ledger_waterfall", drive=drive)
    components.heading(steps, f"How {escape_markdown(drive) or 'the drives'} spent {'its' if drive else 'their'} time")
    st.text(_sentence(steps))
    page.say_left_out()
    components.show_chart(steps, ledger_charts.waterfall(steps.frame(), earlier.frame() if earlier else None))
    if page.before:
        days = days_text(*page.before)
        st.caption(f"Dashed: {days}." if earlier and earlier.rows else f"No log of drives covers {days}.")
    step = hour_charts.step_of(page.n_days)
    drawn = _show_hours(page, drive) if step == "hour" else _show_periods(page, drive, step)
    drives = page.ask("drives")
    groups = dict.fromkeys(row["time_group"] for row in reversed(page.ask("drive_time_buckets").rows))
    components.heading(drives, "Hours of each drive, by use")
    rows = words.in_order(drives.rows_of(drive=drive), "drive")
    components.show_table(drives, ["drive", *(f"{name}_hours" for name in groups), "moved_gb"], rows)
    components.show_sql(steps, *([earlier] if earlier else []), drawn, drives)


def _sentence(steps: Asked) -> str:
    """All drive-hours, those in which data moved, and the largest other part of the time a tape was in a drive."""
    rows = steps.rows
    moving = sum(row["bucket_hours"] for row in rows if row["time_group"] == "moving_data")
    every = f"{format.fixed(rows[0]['from_hours'], 'h')} drive-hours"
    groups = {row["time_group"] for row in rows}
    if moving or not (groups == {"unknown"} or "occupied" in groups):
        text = f"Data moved in {format.fixed(moving, 'h')} of {every}"
    else:  # as the question `headline` has it: without a log of what drives did, no hours are not 0 hours
        text = f"In {every}, no log shows how long data moved"
    held = [row for row in rows if row["time_group"] not in ("moving_data", "idle", "down", "unknown")]
    if held:
        worst = max(held, key=lambda row: row["bucket_hours"])
        text += f". Of the other time with a tape in the drive, the largest part went to “{worst['bucket_words']}”:"
        text += f" {format.quantity(worst['bucket_hours'], 'h')}"
    return f"{text}."


def _show_hours(page: Page, drive: str) -> Asked:
    """Drives by the hour."""
    hours = page.ask("busy_hours", drive=drive)
    components.heading(hours, "Drives by hour")
    if not hours.rows:
        st.info("No log shows a drive at work for at least 10 minutes of any hour.")
        return hours
    what = fields.choose("show", "Use of time to show, as a share of each hour", list(SHARES), SHARES, st)
    tips = ["drive:N", charts.instant("hour_at", "hour"), "station:N", "mode:N", "verdict:N"]
    tips += [charts.share(name, text) for name, text in SHARES.items()]
    colour = charts.RED if what == "lost_share" else charts.BLUE
    chart = charts.heat_map(hours.frame(), "drive", what, SHARES[what], tips, page.span(), colour)
    components.show_chart(hours, chart, zooms=True)
    st.caption("Empty: the drive was at work for less than 10 minutes of the hour, or no log covers it.")
    return hours


def _show_periods(page: Page, drive: str, step: str) -> Asked:
    """Drive-hours by day, week or month."""
    if drive:
        found = page.ask("drive_ledger")
        buckets = page.ask("drive_time_buckets").frame().with_columns(group_number=pl.col("number"))
        rows = found.frame(found.rows_of(drive=drive)).join(buckets, on="bucket")
        first = rows.group_by("time_group").agg(pl.min("group_number"))
        rows = rows.drop("group_number").join(first, on="time_group")
        rows = rows.with_columns(drive_hours=pl.col("seconds") / 3600)
    else:
        found = page.ask("hours_by_group")
        rows = found.frame()
    components.heading(found, f"{step.capitalize()} by {step}")
    components.show_chart(found, ledger_charts.periods(rows, step, page.span()), zooms=True)
    return found
