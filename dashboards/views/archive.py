"""What is it made of? The site drawn, its drives and configuration by date, and how it stands beside others."""

import streamlit as st

from dashboards import parts
from dashboards.schematic import schematic

PAGE = {"title": "The archive", "order": 150}
TOPOLOGY = ["station", "role", "spool", "links", "facts", "mode", "drives", "n_drives", "n_movers", "moved_gb"]

page = parts.open_page("What is it made of?", compares=True)
topology = page.ask("topology")
parts.heading(topology)
if topology.rows:
    st.caption("Left: tapes that are read. Middle: stations and their spool. Right: tapes that are written.")
    parts.show_chart(topology, schematic(topology.rows))
    parts.show_table(topology, TOPOLOGY, None, 240)
else:
    st.info("site.toml declares no station and no drive, and no log tells of one.")
parts.show_sql(topology)

inventory = page.ask("drive_inventory")
parts.show_part(inventory, inventory.names, lacking="site.toml declares no drive.")
blocks = page.ask("tape_blocks")
parts.show_part(blocks, blocks.names, [row for row in blocks.rows if row["tape_block_kb"] is not None],
                "No [[fact]] of site.toml gives a tape_block_kb.")  # fmt: skip
made_of = page.ask("configuration")
parts.show_part(
    made_of, made_of.names, lacking="site.toml has no [[fact]]: what hosts, drives, pools and disks are made of."
)
if page.before:
    changed = page.ask("configuration_changes", first_day=page.before[1])
    parts.show_part(
        changed, changed.names, lacking=f"No fact of site.toml changed from {page.before[1]} to {page.last}."
    )
balance = page.ask("pros_and_cons")
parts.show_part(balance, balance.names, lacking="Nothing was seen of enough to be judged.")
others = page.ask("beside_others")
parts.show_part(others, others.names)
