"""What is missing? Every part of a page without a log that it needs, and names that are not known."""

from typing import Any

import streamlit as st

from dashboards import components
from dashboards.data import filled
from dashboards.head import Page
from dashboards.pages import find_parts, find_views
from dashboards.tabs import is_shown

PART = {
    "title": "What is missing",
    "order": 40,
}
NAMES = ["kind", "name", "found_in", "n_rows", "first_at", "last_at"]
HOW_TO = """\
1. Put the files where an input of site.toml finds them. Or run `tapescope init FOLDER --out NEW.toml`, and copy the
   [[input]] entries of NEW.toml to site.toml.
2. Run `tapescope recognise FILE`: it shows what kind of log a file is, and why it is or is not read.
3. Run `tapescope run`."""


def draw(page: Page) -> None:
    """Draw the part."""
    parts = [(view, part) for view in find_views() for part in find_parts(view.name)]
    has_rows = filled(page.snapshot, frozenset(name for _, part in parts for name in part.needs))
    rows: list[dict[str, Any]] = [
        {"page": view.title, "part": part.title, "needs": part.lacking}
        for view, part in parts
        if not is_shown(part, has_rows)
    ]
    st.header("Hidden parts", anchor=False)
    if rows:
        st.text(f"{len(rows)} of {len(parts)} parts are hidden, because the data that they need were never read.")
        config = {
            "page": st.column_config.Column("page"),
            "part": st.column_config.Column("hidden part"),
            "needs": st.column_config.Column("what the part needs", width="large"),
        }
        components.show_rows(rows, config, "Hidden parts, and what each part needs")
    else:
        st.text("Every part of every page has data.")
    with st.expander("How to add a log"):
        st.text(HOW_TO)
    unknown = page.ask("unknown_names")
    lacking = "site.toml declares every station, drive and link that these days' logs name."
    components.show_part(unknown, NAMES, lacking=lacking)
