"""When was it built, and did its checks pass? The last runs, builds and what failed in them."""

import streamlit as st

from dashboards import components
from dashboards.head import Page

PART = {
    "title": "Builds",
    "order": 26,
}
FRESH = ["kind", "name", "until_at", "ended_at", "outcome", "failure"]
BUILDS = ["number", "build_id", "is_full", "is_committed", "n_days", "n_rows", "n_failed_checks"]


def draw(page: Page) -> None:
    """Draw the part."""
    fresh, builds, failed = (page.ask(name) for name in ("freshness", "builds", "checks"))
    unmet = [row for row in failed.rows if row["outcome"] not in (None, "passed")]
    if unmet:
        st.warning("The last build did not meet all of its checks.")
        components.show_table(failed, ["relation", "expectation", "severity", "n_failing", "detail"], unmet)
    components.show_part(fresh, FRESH, fresh.rows[1:], "Nothing was read, and nothing ran.", wide={"failure": 300})
    components.show_part(builds, BUILDS)
    components.show_sql(failed)
