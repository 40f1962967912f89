"""What is it made of? The site drawn, its drives and configuration by date, and how it stands beside others."""

import streamlit as st

from dashboards import components
from dashboards.charts.schematic import schematic
from dashboards.head import Page

PART = {
    "title": "The archive",
    "order": 10,
    "compares": True,
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
        st.info("site.toml declares no station and no drive, and no log tells of one.")
    components.show_sql(topology)

    inventory = page.ask("drive_inventory")
    components.show_part(inventory, inventory.names, lacking="site.toml declares no drive.")
    blocks = page.ask("tape_blocks")
    components.show_part(blocks, blocks.names, [row for row in blocks.rows if row["tape_block_kb"] is not None],
                    "No [[fact]] of site.toml gives a tape_block_kb.")  # fmt: skip
    made_of = page.ask("configuration")
    components.show_part(
        made_of, made_of.names, lacking="site.toml has no [[fact]]: what hosts, drives, pools and disks are made of."
    )
    if page.before:
        changed = page.ask("configuration_changes", first_day=page.before[1])
        components.show_part(
            changed, changed.names, lacking=f"No fact of site.toml changed from {page.before[1]} to {page.last}."
        )
    balance = page.ask("pros_and_cons")
    components.show_part(balance, balance.names, lacking="Nothing was seen of enough to be judged.")
    others = page.ask("beside_others")
    components.show_part(others, others.names)
