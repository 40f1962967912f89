"""Whose data do the drives move? Families stacked by the hour, drives in use, what queues and patterns come to."""

import streamlit as st

from dashboards import charts, components, fields
from dashboards.charts import hour_charts
from dashboards.head import Page

PART = {
    "title": "Groups and drives in use",
    "order": 30,
    "needs": ["gold.family_rate", "gold.movers_in_use"],
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
DEPTHS = ["mode", "from_depth", "to_depth", "waiting_hours", "rate_mb_s", "n_mounts", "files_a_mount"]


def draw(page: Page) -> None:
    """Draw the part."""
    group = page.chosen["group"]
    hours = page.ask("family_hours", group=group)
    components.heading(hours)
    if hours.rows:
        modes = [mode for mode in ("read", "write") if any(row["mode"] == mode for row in hours.rows)]
        mode = fields.choose("mode", "Of", ["reads and writes", *modes], page=st)
        frame = hours.frame([row for row in hours.rows if mode in (row["mode"], "reads and writes")])
        frame = frame.with_columns(family=charts.joined("storage_group", "file_family", "mode"))
        drawn = hour_charts.largest(frame, "family", "rate_mb_s")
        components.show_chart(hours, hour_charts.families(drawn, "family", hours.label("rate_mb_s"), page.span()))
    else:
        st.info("No whole file was moved in this period. Choose other days, or load server logs with `tapescope run`.")
    components.show_sql(hours)
    rates = page.ask("group_rates")
    components.show_part(rates, RATES, [row for row in rates.rows if group in ("", row["storage_group"])])

    used = page.ask("movers_in_use")
    components.heading(used)
    st.caption("Blue: on average. Grey: most at one instant. Orange: drives there are.")
    systems = sorted({row["system"] for row in used.rows})
    for system in systems:
        says = f"Archive system {system}" if len(systems) > 1 else "Drives in use by the hour."
        own = used.frame([row for row in used.rows if row["system"] == system])
        components.show_chart(used, hour_charts.in_use(own, page.span()), says)
    if not all(row["is_possible"] for row in used.rows):
        st.warning(
            "In some hours more drives were in use than there are: a drive is missing in `site.toml`, or logs lie."
        )
    components.show_sql(used)

    for name, columns, by, lacking in (
        ("drives_in_service", ["day", "robot", "generation", "n_drives", "n_tapes", "added", "removed"], [],
         "No drive moved a whole file in this period."),
        ("read_patterns", WEEKS, ["group"], "No mount that read is known from request to dismount."),
        ("queue_depths", DEPTHS, [], "No queued request is known. Load Enstore's LOG files or the log of CTA's frontend."),
    ):  # fmt: skip
        found = page.ask(name, group=group)
        components.heading(found)
        if any(row.get("has_degraded") for row in found.rows):
            st.warning(
                "A group's reads have become chaotic: twice the drive-hours for a terabyte, and more short mounts."
            )
        if found.rows:
            components.show_table(found, columns, found.rows)
        else:
            st.info(lacking)
        components.show_sql(found)
