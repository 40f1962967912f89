"""Which version is this, where is its manual, and what do its words mean?"""

from importlib.metadata import PackageNotFoundError, version

import streamlit as st

from dashboards.head import Page

PART = {
    "title": "This product",
    "order": 60,
}
WORDS = {
    "mount": "a tape in a drive, from the request for it to its dismount; also called a session",
    "drive-hour": "an hour of one drive; four drives have 96 of them a day",
    "gap": "the time between the end of one file and the start of the next in the same mount",
    "duty factor": "share of the time in which a station moves more than its threshold",
    "finding": "what a rule found wrong, with its evidence; it lives from night to night until it is gone",
    "coverage": "share of the expected log hours (site.toml) that were received",
    "snapshot": "a state of the warehouse; a page asks all of its questions of one",
    "drive rate": "bytes over the time a drive was taken; a mount's overall rate has mounts and gaps in it",
}


def draw(page: Page) -> None:
    """Draw the part."""
    try:
        number = version("tapescope")
    except PackageNotFoundError:
        number = "of a working copy"
    st.text(f"tapescope {number}, snapshot {page.snapshot} of {page.site['name']}.")
    st.text("Manual: docs/index.md, next to the program; design: docs/architecture.md; all words: docs/glossary.md.")
    st.header("Words", anchor=False)
    st.markdown("\n".join(f"* **{word}**: {meaning}" for word, meaning in WORDS.items()))
