"""When will the campaigns of site.toml be done, and what would move that most?"""

from typing import Any

import polars as pl
import streamlit as st

from dashboards import data, planning, words
from dashboards.charts import bars
from dashboards.components import show_rows
from dashboards.head import Page
from pipelines.analysis.forecast import progress
from pipelines.primitives.estimate import NoEstimate
from pipelines.primitives.format import no_estimate, percent, quantity
from pipelines.primitives.text import escape_markdown

PART = {
    "title": "Campaigns",
    "order": 30,
    "needs": ["site.campaign"],
    "lacking": "a [[campaign]] in site.toml, with the keys `name`, `size_tb` and `from`",
}
N_DAYS = 28
LEAST_DAYS = 0.1


def draw(page: Page) -> None:
    """Draw the part."""
    try:
        with data.refusing():
            everyone = progress(planning.history(page, N_DAYS))
    except data.NoAnswer as problem:
        st.text(f"{problem}.")
        return
    causes = {row["bucket"]: row["bucket_words"] for row in page.ask("ledger_waterfall").rows}
    for one in everyone:
        st.header(escape_markdown(one.name), anchor=False)
        share = one.done_gb / one.size_gb
        st.progress(min(1.0, share), text=f"{percent(share)} of {quantity(one.size_gb / 1000, 'TB')} moved")
        st.text(_end(one))
        if one.n_days_lacking:
            st.caption(
                f"Days without logs since the start of the campaign: {one.n_days_lacking}. Data moved on such days is"
                " not counted."
            )
        if not isinstance(one.end, NoEstimate):
            _levers(one, causes)


def _levers(one: Any, causes: dict[str, str]) -> None:
    """What would end a campaign sooner, as bars and rows; what would not by a tenth of a day is left out."""
    rows = [
        {"what": _named(lever.name, causes), "pace": lever.gb_day, "sooner": one.end.days.value - lever.days}
        for lever in one.end.levers
    ]
    rows = [row for row in rows if row["sooner"] >= LEAST_DAYS]
    if not rows:
        return
    st.header(f"What would end {escape_markdown(one.name)} sooner", anchor=False)
    chart = bars.single(pl.DataFrame(rows), "what", "sooner", "campaign shortened by [d]")
    st.altair_chart(chart, width="stretch", alt=f"Days by which each change would end {one.name} sooner.")
    config: dict[str, Any] = {
        "what": st.column_config.Column("change"),
        "pace": st.column_config.NumberColumn("rate after the change [GB/day]", format="%.0f"),
        "sooner": st.column_config.NumberColumn("campaign shortened by [d]", format="%.1f"),
    }
    show_rows(rows, config, f"What would end {one.name} sooner")


def _named(lever: str, causes: dict[str, str]) -> str:
    """A lever in the words of the pages: "without mount" becomes "without mounting"."""
    first, _, cause = lever.partition("without ")
    return f"without {causes.get(cause, cause.replace('_', ' '))}" if cause else first


def _end(one: Any) -> str:
    """When a campaign will be done, in a sentence."""
    if not one.left_gb:
        return "The campaign is complete."
    if isinstance(one.end, NoEstimate):
        return words.capital(f"{no_estimate(one.end, 'when it ends')}.")
    value, low, high = (
        str(one.day_after(days) or "after the year 9999")
        for days in (one.end.days.value, one.end.days.low, one.end.days.high)
    )
    pace = quantity(one.end.gb_day.value, "GB/day")
    return (
        f"Expected end: {value} (90 % interval: {low} to {high}). This assumes that the mean rate of the last"
        f" {one.end.n_days} days, {pace}, continues."
    )
