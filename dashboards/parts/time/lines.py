"""Which log lines prove it? The longest intervals of a state, with the lines that begin and end them."""

from datetime import date

import streamlit as st

from dashboards import components, data, fields
from dashboards.head import Page
from pipelines.primitives.format import quantity
from pipelines.primitives.text import escape_markdown, natural
from pipelines.primitives.times import day_text

PART = {
    "title": "Log lines",
    "order": 60,
    "needs": ["gold.drive_ledger"],
    "lacking": "the logs of the drives",
    "filters": ["drive"],
}
START = "between_files"
UNLOGGED = {"occupied", "idle", "unknown"}  # buckets that TSM's lists of mounts give: they show nothing of the work


def draw(page: Page) -> None:
    """Draw the part."""
    buckets = page.ask("drive_time_buckets")
    group_words = {row["time_group"]: row["group_words"] for row in reversed(buckets.rows)}
    bucket = fields.choose("bucket", "State", sorted(group_words, key=START.__ne__), group_words, st)
    within = {row["bucket"] for row in buckets.rows_of(time_group=bucket)}
    ledger = page.ask("drive_ledger")
    spent: dict[tuple[str, date], float] = {}
    for row in ledger.rows_of(drive=page.chosen["drive"]):
        key = row["drive"], row["day"]
        spent[key] = spent.get(key, 0.0) + (row["seconds"] if row["bucket"] in within else 0.0)
    if not spent:
        st.info("No log of drives covers these days.")
        return
    drive, day = min(spent, key=lambda key: (-spent[key], natural(key[0]), key[1]))
    if not spent[drive, day]:
        who = escape_markdown(page.chosen["drive"])
        is_logged = any(row["bucket"] not in UNLOGGED for row in ledger.rows_of(drive=page.chosen["drive"]))
        st.info(
            f"{who} spent no time in this state."
            if who and is_logged
            else f"No log shows {who or 'a drive'} in this state."
        )
        return
    st.header(f"Longest intervals of “{group_words[bucket]}” on {escape_markdown(drive)}", anchor=False)
    most = "" if page.chosen["drive"] else ", the drive with most time in this state on one day"
    st.text(f"{drive}{most}, on {day_text(day)}: {quantity(spent[drive, day] / 3600, 'h')}.")
    components.show_intervals(data.drilled(page.snapshot, drive, bucket, day))
    components.show_sql(ledger)
