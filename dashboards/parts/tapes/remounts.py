"""Tapes that come back, the data sets that pay for it, and what another mount policy would save."""

import streamlit as st

from dashboards import charts, components, mount_policies
from dashboards.charts import bars
from dashboards.head import Page

PART = {
    "title": "Remounts and data sets",
    "order": 20,
    "needs": ["gold.mount"],
    "lacking": "logs of mounts",
    "filters": ["group"],
}
REMOUNTS = ["storage_group", "day", "n_mounts", "n_volumes", "avg_remounts", "n_extra", "wasted_hours"]
DATA_SETS = [
    "system", "storage_group", "file_family", "directory", "mode", "n_mounts", "n_remounts", "n_volumes", "n_files",
    "files_per_mount", "gb_per_mount", "mounting_hours", "tape_motion_hours", "lost_hours",
]  # fmt: skip
LOST = {"mounting_hours": "mounting", "tape_motion_hours": "tape motion"}


def draw(page: Page) -> None:
    """Draw the part."""
    group = page.chosen["group"]
    sets = page.ask("data_set_costs", group=group)
    components.heading(sets, "Drive-hours for mounting and tape motion, by data set")
    timed = [row for row in sets.rows if row["lost_hours"] is not None]
    if timed:
        names = charts.joined("storage_group", "file_family", "directory", "mode")
        chart = bars.stacked(sets.frame(timed).with_columns(data_set=names), "data_set", LOST, "drive-hours [h]", "h")
        components.show_chart(sets, chart, "Hours of mounting and of tape motion, by data set.")
    else:
        missing = "how long mounting and tape motion took" if sets.rows else "a mount that moved files"
        st.text(f"No log shows {missing} in this period.")
    if sets.rows:
        components.show_table(sets, DATA_SETS)
    components.show_sql(sets)
    again = page.ask("remount_cost")
    lacking = "No log shows a mount that moved files in this period."
    components.show_part(again, REMOUNTS, again.rows_of(storage_group=group), lacking)
    with components.closed("What another mount policy would save", "policies") as is_open:
        if is_open:
            page.say_not_narrowed("group", "A mount policy applies to the requests of all groups")
            mount_policies.show(page)
