"""When will the campaigns of site.toml be done, and what would move that most?"""

from typing import Any

import streamlit as st

from dashboards import data, planning
from dashboards.components import show_rows
from dashboards.head import Page
from pipelines.analysis.forecast import progress
from pipelines.primitives.estimate import NoEstimate
from pipelines.primitives.format import no_estimate, percent, quantity

PART = {
    "title": "Campaigns",
    "order": 30,
    "needs": ["site.campaign"],
    "lacking": "a [[campaign]] in site.toml, with name, size_tb and from",
}
N_DAYS = 28


def draw(page: Page) -> None:
    """Draw the part."""
    try:
        with data.refusing():
            everyone = progress(planning.history(page, N_DAYS))
    except data.NoAnswer as problem:
        st.text(f"{problem}.")
        return
    for one in everyone:
        st.header(one.name, anchor=False)
        share = one.done_gb / one.size_gb
        st.progress(min(1.0, share), text=f"{percent(share)} of {quantity(one.size_gb / 1000, 'TB')} moved")
        st.text(_end(one))
        if one.n_days_lacking:
            st.caption(f"{one.n_days_lacking} days since it began have no logs: what moved then is not counted.")
        if not isinstance(one.end, NoEstimate) and one.end.levers:
            rows = [
                {
                    "what": lever.name,
                    "gain": lever.gb_day,
                    "sooner": one.end.days.value - lever.days,
                }
                for lever in one.end.levers
            ]
            config: dict[str, Any] = {
                "what": st.column_config.Column("what would change"),
                "gain": st.column_config.NumberColumn("more moved [GB/day]", format="%.0f"),
                "sooner": st.column_config.NumberColumn("done sooner by [d]", format="%.1f"),
            }
            show_rows(rows, config, f"What would end {one.name} sooner")


def _end(one: Any) -> str:
    """When a campaign will be done, in a sentence."""
    if isinstance(one.end, NoEstimate):
        return f"{no_estimate(one.end, 'when it ends')}."
    value, low, high = (
        str(one.day_after(days) or "beyond the calendar")
        for days in (one.end.days.value, one.end.days.low, one.end.days.high)
    )
    pace = quantity(one.end.gb_day.value, "GB/day")
    return f"Done on {value} (90 %: {low} to {high}), by {one.end.n_days} days at {pace}."
