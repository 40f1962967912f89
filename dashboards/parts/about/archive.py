"""What is it made of on a day? The site drawn, its drives and facts by date, and what changed since other days."""

import streamlit as st

from dashboards import components
from dashboards.charts.schematic import schematic
from dashboards.head import Page

PART = {
    "title": "The archive",
    "order": 10,
    "was": ["configuration"],
    "compares": True,
}
TOPOLOGY = ["station", "role", "spool", "links", "facts", "mode", "kind", "n_drives", "n_hosts", "moved_gb"]


def draw(page: Page) -> None:
    """Draw the part."""
    topology = page.ask("topology")
    components.heading(topology)
    if topology.rows:
        st.caption(
            "Left: kinds of drives that read, and kinds without traffic to or from a station. Middle: stations and"
            " their spools. Right: kinds of drives that wrote."
        )
        components.show_chart(topology, schematic(topology.rows))
        components.show_table(topology, TOPOLOGY)
    else:
        st.info("site.toml declares no station and no drive, and no log names one.")
    components.show_sql(topology)
    _show_configuration(page)


def _show_configuration(page: Page) -> None:
    """Drives, facts of site.toml and blocks on tape; and what changed since the days to compare with."""
    inventory = page.ask("drive_inventory")
    components.show_part(inventory, inventory.names, lacking="site.toml declares no drive.")
    made_of = page.ask("configuration")
    nothing = "site.toml has no [[fact]] about hosts, drives, pools or disks."
    components.show_closed(made_of, made_of.names, lacking=nothing)
    if page.before:
        changed = page.ask("configuration_changes", first_day=page.before[1])
        nothing = f"No [[fact]] of site.toml changed from {page.before[1]} to {page.last}."
        components.show_closed(changed, changed.names, lacking=nothing)
    blocks = page.ask("tape_blocks")
    known = [row for row in blocks.rows if row["tape_block_kb"] is not None]
    if known:
        components.show_closed(blocks, blocks.names, known)
