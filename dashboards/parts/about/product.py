"""Which version is this, where is its manual, and what do its words mean?"""

from importlib.metadata import PackageNotFoundError, version

import streamlit as st

from dashboards.head import Page

PART = {
    "title": "This product",
    "order": 60,
}
WORDS = {
    "mount": "the use of a tape in a drive, from the mount request to the end of the dismount; also called a session",
    "drive-hour": "an hour of one drive; four drives have 96 drive-hours a day",
    "gap": "the time between the end of one file and the start of the next in the same mount",
    "duty factor": "share of half-hours in which a station's links together carry more than `duty_threshold_mb_s` of"
    " site.toml",
    "finding": "a problem that a rule found, with evidence; tapescope checks each night whether the problem persists",
    "coverage": "hours for which a log was read ÷ hours for which site.toml expects that log",
    "snapshot": "one state of the warehouse; each page shows one snapshot",
    "drive rate": "bytes ÷ time in which the drive moved them",
    "overall rate": "bytes ÷ time from the mount request to the end of the dismount, including waits and gaps",
}


def draw(page: Page) -> None:
    """Draw the part."""
    try:
        number = version("tapescope")
    except PackageNotFoundError:
        number = "(working copy, no version)"
    st.text(f"tapescope {number}, snapshot {page.snapshot} of {page.site['name']}.")
    st.text("Manual: docs/index.md in the program's folder; design: docs/architecture.md; all terms: docs/glossary.md.")
    st.header("Words", anchor=False)
    st.markdown("\n".join(f"* **{word}**: {meaning}" for word, meaning in WORDS.items()))
