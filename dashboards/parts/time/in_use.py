"""Are there enough drives? Those in use against those there are, and what deep queues bring."""

import streamlit as st

from dashboards import charts, components, fields
from dashboards.charts import hour_charts
from dashboards.head import Page
from pipelines.primitives.format import counted

PART = {
    "title": "Drives in use and queues",
    "order": 40,
    "needs": ["gold.movers_in_use", "silver.queue_sample"],
    "lacking": "logs of the drives",
}
MOST_SYSTEMS = 2  # with a chart each; of more, one is chosen
SERVED = ["day", "robot", "generation", "n_drives", "n_tapes", "added", "removed"]
DEPTHS = ["mode", "from_depth", "to_depth", "waiting_hours", "rate_mb_s", "n_mounts", "files_a_mount"]


def draw(page: Page) -> None:
    """Draw the part."""
    used = page.ask("movers_in_use")
    components.heading(used, "Drives in use")
    systems = sorted({row["system"] for row in used.rows})
    if not systems:
        st.info("No log of drives covers these days.")
    if len(systems) > MOST_SYSTEMS:
        systems = [fields.choose("system", "Archive system", systems, page=st)]
    step = hour_charts.step_of(page.n_days)
    is_one = len({row["system"] for row in used.rows}) == 1
    for system in systems:
        rows = used.rows_of(system=system)
        top = max(rows, key=lambda row: row["max_in_use"])
        of = "" if is_one else f" of {system}"
        were = "was" if top["max_in_use"] == 1 else "were"
        st.text(
            f"No log shows a drive{of} in use."
            if not top["max_in_use"]
            else f"At most {top['max_in_use']} of {counted(top['n_drives'], 'drive')}{of} {were} in use at"
            f" the same time, first in the hour that starts at {components.instant(top['hour_at'])}."
        )
        says = (
            "Drives in use over the period."
            if is_one
            else f"Drives of the archive system {system} in use over the period."
        )
        components.show_chart(used, hour_charts.in_use(used.frame(rows), page.span(), step), says)
    if not all(row["is_possible"] for row in used.rows):
        st.warning(
            "In some hours more drives were in use than the site has: a drive is missing"
            " in `site.toml`, or the logs are"
            " wrong."
        )
    served = page.ask("drives_in_service")
    components.heading(served)
    if served.rows:
        components.show_table(served, SERVED)
    else:
        st.info("No log shows a file that was moved completely in this period.")
    depths = page.ask("queue_depths")
    components.heading(depths)
    drawn = [row for row in depths.rows if row["rate_mb_s"] is not None]
    if drawn:
        titles = {"from_depth": depths.label("from_depth"), "rate_mb_s": depths.label("rate_mb_s")}
        chart = charts.lines(depths.frame(drawn), "from_depth", "rate_mb_s", "mode", titles, log_x=True)
        components.show_chart(depths, chart)
    if depths.rows:
        components.show_table(depths, DEPTHS)
    else:
        st.info("No log shows a queued request in this period.")
    components.show_sql(used, served, depths)
