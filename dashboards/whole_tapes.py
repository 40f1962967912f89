"""Mounts that read a tape: which of them would have been quicker by reading all of it."""

import streamlit as st

from dashboards import components
from dashboards.data import Asked
from dashboards.tables import Rows

TABLE = [
    "volume", "drive", "requested_at", "pattern", "n_files", "byte_share", "drive_rate_mb_s", "f", "wall_s", "whole_s",
    "is_whole_quicker", "break_even",
]  # fmt: skip


def show(found: Asked, rows: Rows) -> None:
    """The answer in a sentence, then all mounts that were compared, those that should have read it all first."""
    components.heading(found)
    n_quicker = sum(row["is_whole_quicker"] for row in rows)
    if not rows:
        st.info("No mount is known with all files of its tape. Load the archive's file table, or mounts that read all.")
    elif n_quicker:
        st.warning(f"{n_quicker} of {len(rows)} mounts should have read the whole tape: that would have been quicker.")
    else:
        st.text(f"None of {len(rows)} mounts would have been quicker by reading the whole tape.")
    if rows:
        components.show_table(found, TABLE, rows)
    components.show_sql(found)
