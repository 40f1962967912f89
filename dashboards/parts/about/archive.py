"""What is it made of? The site drawn, its drives and configuration by date, and how they connect."""

import streamlit as st

from dashboards import components
from dashboards.charts.schematic import schematic
from dashboards.head import Page

PART = {
    "title": "The archive",
    "order": 10,
}
TOPOLOGY = ["station", "role", "spool", "links", "facts", "mode", "drives", "n_drives", "n_movers", "moved_gb"]


def draw(page: Page) -> None:
    """Draw the part."""
    topology = page.ask("topology")
    components.heading(topology)
    if topology.rows:
        st.caption("Left: tapes that are read. Middle: stations and their spool. Right: tapes that are written.")
        components.show_chart(topology, schematic(topology.rows))
        components.show_table(topology, TOPOLOGY)
    else:
        st.info("site.toml declares no station and no drive, and no log names one.")
    components.show_sql(topology)
