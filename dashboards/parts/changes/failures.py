"""Do mounts fail since a change? Failed mounts of what each change touched, before and after."""

import streamlit as st

from dashboards import components
from dashboards.charts import model_charts
from dashboards.head import Page

PART = {
    "title": "Failures after a change",
    "order": 20,
    "needs": ["site.change"],
    "lacking": "a [[change]] in site.toml, or the CSV file that `change_log` in site.toml names",
}


def draw(page: Page) -> None:
    """Draw the part."""
    found = page.ask("failures_after_change")
    components.heading(found)
    if not found.rows:
        st.text("No change recorded in this period affects a drive that was used.")
        components.show_sql(found)
        return
    worse = [row for row in found.rows if row["is_worse"]]
    st.text(
        f"More mounts failed after {len(worse)} of the {len(found.rows)} changes that affected drives in use: in seven"
        " days, at least three failed, and their share was at least three times that of the week before."
    )
    components.show_chart(found, model_charts.failures(found.frame()))
    components.show_table(found, found.names, wide={"what": 140})
    components.show_sql(found)
