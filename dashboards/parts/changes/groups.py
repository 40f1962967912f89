"""Who gained? Rates of each storage group before and after an instant: what helps one may cost another."""

import streamlit as st

from dashboards import components, fields
from dashboards.head import Page

PART = {
    "title": "By storage group",
    "order": 30,
    "needs": ["gold.mount"],
    "lacking": "logs of mounts",
    "filters": ["drive"],
}


def draw(page: Page) -> None:
    """Draw the part."""
    changes = [row["changed_at"] for row in page.ask("changes", n_days=max(35, page.n_days)).rows if row["changed_at"]]
    when = fields.instant("at", "Instant", changes[0] if changes else None)
    if when is None:
        st.text("Enter an instant: the page compares each storage group's mounts before and after it.")
        return
    groups = page.ask("before_after_groups", changed_at=when, drive=page.chosen["drive"])
    components.show_part(groups, groups.names, lacking="No log shows a mount with a known overall rate in this period.")
