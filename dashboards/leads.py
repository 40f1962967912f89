"""From a finding to the page that shows it, narrowed to what it is about."""

import streamlit as st

from dashboards import state
from pipelines.catalog.contracts import load_catalog

PAGES = {
    "gaps": ("Gaps", ("long_gap", "changed_gap")),
    "stations": ("Stations", ("duty_low", "unbalanced_station", "counter_wrap")),
    "drives": ("Drives", ("drive_down", "slow_drive", "bad_tape", "mount_failures", "transfer_failures")),
    "tapes": ("Tapes and positions", ("partial_read", "stalled_read")),
    "groups": ("Groups and families", ("chaotic_reading",)),
    "pools": (
        "Pools and network",
        ("starved_stream", "write_starves_read", "flush_burst", "host_saturated", "pool_skew", "link_saturated"),
    ),
    "changes": ("Before/after", ("changed_rate",)),
    "health": ("Data health", ("source_silent", "clock_skew", "contradiction")),
}
# Causes of gold.lost_time are told on the page of the rule that prices them, or where the time went.
_OF_RULE = {rule: page for page, (_, rules) in PAGES.items() for rule in rules}


def show(rule: str, entity: str | None) -> None:
    """A link to the page of a rule, or of a cause of lost time; its filters are the parts of the entity it judges."""
    page = _OF_RULE.get(rule, "ledger")
    known = load_catalog().rules.get(rule)
    about = dict(zip(known.by, (entity or "").split("/"), strict=False)) if known else {}
    state.link(
        page, PAGES.get(page, ("Where the time went",))[0], station=about.get("station"), drive=about.get("drive")
    )


def show_command(does: str, finding_id: str) -> None:
    """The command that says something of a finding, to be copied, with the finding's id."""
    st.code(f"tapescope finding {does} {finding_id}", language=None)
