"""What did each pool move to and from tape, and exchange with clients, by dCache's own counters?"""

import streamlit as st

from dashboards import components, pool_choice
from dashboards.head import Page

PART = {
    "title": "Traffic",
    "order": 35,
    "needs": ["silver.pool_hour"],
    "lacking": "dCache's statistics files",
}
TABLE = [
    "system", "pool", "storage_group", "file_family", "n_stores", "stored_gb", "n_restores", "restored_gb",
    "client_in_gb", "client_out_gb", "n_errors", "held_gb", "n_files", "counted_hours", "reset_hours",
]  # fmt: skip


def draw(page: Page) -> None:
    """Draw the part."""
    found = page.ask("pool_traffic")
    rows = found.rows_of(pool=pool_choice.choose(page))
    components.show_part(found, TABLE, rows, "No statistics file of dCache covers a pool in this period.")
    if any(row["reset_hours"] for row in rows):
        st.caption("Hours in which a counter went down, as after a restart, have no numbers: see `reset_hours`.")
