"""Whose data do the drives move? Drive-hours of storage groups, and what their families moved over the hours."""

import streamlit as st

from dashboards import charts, components, fields
from dashboards.charts import hour_charts, ledger_charts
from dashboards.data import Asked
from dashboards.head import Page

PART = {
    "title": "Storage groups and families",
    "order": 30,
    "needs": ["gold.family_rate"],
    "lacking": "logs of the drives",
    "filters": ["group"],
}
RATES = [
    "system", "storage_group", "mode", "moved_tb", "min_mb_s", "average_mb_s", "sustained_mb_s", "max_mb_s",
    "last_mb_s",
]  # fmt: skip
WEEKS = [
    "storage_group", "week_from", "n_mounts", "files_a_mount", "chaotic_share", "remounts", "hours_tb",
    "ratio_to_first", "has_degraded",
]  # fmt: skip
EVERY = "reads and writes"


def draw(page: Page) -> None:
    """Draw the part."""
    group = page.chosen["group"]
    hours = _show_families(page, group)
    spent = page.ask("hours_by_group")
    components.heading(spent)
    of_group = [row for row in spent.rows_of(storage_group=group) if row["storage_group"]]
    if of_group:
        chart = ledger_charts.stacked(spent.frame(of_group), "drive_hours", "storage_group", "drive-hours [h]")
        components.show_chart(spent, chart)
    else:
        st.info(
            "No log of these days names the storage groups of files. For Enstore, the accounting export names them."
        )
    rates = page.ask("group_rates")
    components.heading(rates)
    named = [row | {"storage_group": row["storage_group"] or "all groups"} for row in rates.rows]
    of_chosen = [row for row in named if group in ("", row["storage_group"])]
    if of_chosen:
        components.show_table(rates, RATES, of_chosen)
    else:
        st.info("No log shows a file that was moved completely in this period.")
    weeks = page.ask("read_patterns", group=group)
    components.heading(weeks)
    if any(row["has_degraded"] for row in weeks.rows):
        st.warning(
            "The reads of a storage group have become scattered within six weeks. In a later week, reads needed at"
            " least twice the drive-hours per TB, and a larger share of mounts was chaotic. The comparison is with the"
            " group's first week of at least 10 mounts."
        )
    if weeks.rows:
        components.show_table(weeks, WEEKS)
    else:
        st.info(
            "No log shows a complete mount for reading, from request to dismount, in the six weeks up to the period's"
            " last day."
        )
    components.show_sql(hours, spent, rates, weeks)


def _show_families(page: Page, group: str) -> Asked:
    """What families moved, stacked."""
    hours = page.ask("family_hours", group=group)
    components.heading(hours, "Rates of file families")
    if not hours.rows:
        st.info("No log shows a file that was moved completely in this period.")
        return hours
    modes = [mode for mode in ("read", "write") if any(row["mode"] == mode for row in hours.rows)]
    mode = fields.choose("mode", "Of", [EVERY, *modes], page=st)
    frame = hours.frame([row for row in hours.rows if mode in (row["mode"], EVERY)])
    frame = frame.with_columns(family=charts.joined("storage_group", "file_family", "mode"))
    step = hour_charts.step_of(page.n_days)
    drawn = hour_charts.largest(hour_charts.mean_rates(frame, "family", step), "family", "rate_mb_s")
    chart = hour_charts.families(drawn, "family", hours.label("rate_mb_s"), page.span(), step)
    components.show_chart(hours, chart, zooms=True)
    return hours
