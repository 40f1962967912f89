"""What was read and built, and what was refused? Lines by source, files, rejected lines; runs, builds and checks."""

import streamlit as st

from dashboards import components
from dashboards.head import Page

PART = {
    "title": "Files and builds",
    "order": 22,
    "was": ["builds"],
}
LINES = ["source", "state", "n_files", "n_lines", "n_used", "n_skipped", "n_rejected", "n_records"]
FILES = ["path", "source", "state", "n_lines", "n_rejected", "first_at", "last_at", "reason", "note"]
REJECTS = ["path", "reason", "n_lines", "line_no", "text"]
FRESH = ["kind", "name", "until_at", "ended_at", "outcome", "failure"]
BUILDS = ["number", "build_id", "is_full", "is_committed", "n_days", "n_rows", "n_failed_checks"]


def draw(page: Page) -> None:
    """Draw the part."""
    components.show_part(page.ask("lines_read"), LINES)
    components.show_closed(
        page.ask("rejects"), REJECTS, lacking="No line was rejected.", wide={"path": 220, "text": 330}
    )
    components.show_part(page.ask("files"), FILES, wide={"note": 300})
    _show_builds(page)


def _show_builds(page: Page) -> None:
    """The last runs and builds, and the checks that the last build did not meet."""
    fresh, builds, failed = (page.ask(name) for name in ("freshness", "builds", "checks"))
    unmet = [row for row in failed.rows if row["outcome"] not in (None, "passed")]
    if unmet:
        st.warning("The last build failed at least one of its checks.")
        components.show_table(failed, ["relation", "expectation", "severity", "n_failing", "detail"], unmet)
    components.show_closed(fresh, FRESH, fresh.rows[1:], "No file was read, and no step ran.", wide={"failure": 300})
    components.show_closed(builds, BUILDS)
    components.show_sql(failed)
