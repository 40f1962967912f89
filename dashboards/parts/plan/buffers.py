"""What would a disk buffer have caught, and from which size on does a larger one bring nothing?"""

from typing import Any

import polars as pl
import streamlit as st

from dashboards import data, fields, words
from dashboards.charts import model_charts
from dashboards.components import show_rows
from dashboards.head import Page
from pipelines.analysis.models.buffer import VERDICTS
from pipelines.primitives.estimate import NoEstimate
from pipelines.primitives.format import counted, no_estimate, percent, quantity

PART = {
    "title": "Buffers",
    "order": 50,
    "needs": ["silver.transfer", "silver.pool_request"],
    "lacking": "logs of drives or of dCache's pools that list the files read from tape",
}
N_DAYS = 28
WITNESSES = {"drives": "the drives", "pools": "the pools"}
ENOUGH = "buffer size beyond which each doubling would serve less than a further 1 % of the bytes [TB]"


def draw(page: Page) -> None:
    """Draw the part."""
    try:
        everyone = data.buffers(page.snapshot, page.last, N_DAYS)
    except data.NoAnswer:
        st.text(f"No log shows a file read from tape in the {N_DAYS} days up to {page.last}.")
        return
    known = {one.witness: one for one in everyone}
    witness = fields.choose("by", "Reads logged by", list(known), WITNESSES, page=st)
    found = known[witness]
    named = {one.name: one for one in (found.whole, *found.families)}
    family = named[fields.choose("family", "File family", list(named), page=st)]
    _sentence(found, family)
    if not isinstance(family.found, NoEstimate):
        rows = [{"size_tb": step.size_tb, "bytes": step.byte_share} for step in family.found.steps]
        says = f"Share of the bytes read that a buffer for {family.name} would have served, by buffer size."
        st.altair_chart(model_charts.caught(pl.DataFrame(rows)), width="stretch", alt=says)
    st.caption(
        "The first read of a file in these days counts as not served by the buffer, so the true share can be higher."
        " Reads that existing buffers served are not included, because the logs do not contain them."
    )
    show_rows([_row(one) for one in named.values()], {}, "Bytes read again and buffer size needed, by file family")


def _sentence(found: Any, family: Any) -> None:
    """What the best size is, and what it brings."""
    days = counted(found.n_days, "day")
    if isinstance(family.found, NoEstimate):
        st.text(words.capital(f"{no_estimate(family.found, 'what a buffer would have served')}."))
        return
    size_tb = family.found.flat_tb
    if not family.found.again:
        st.text(f"No file was read twice on the {days} with reads: a buffer would have served nothing.")
        return
    share = family.reads.caught_bytes(size_tb) / max(1, int(family.reads.sizes.sum()))
    st.text(
        f"A buffer of {quantity(size_tb, 'TB')} would have served {percent(share)} of the bytes read on the"
        f" {days} with reads."
        f" {words.capital(VERDICTS[family.found.verdict])}."
    )


def _row(one: Any) -> dict[str, Any]:
    row: dict[str, Any] = {"file family": one.name, "reads": len(one.reads.sizes)}
    row["read [TB]"] = round(float(one.reads.sizes.sum()) / 1e12, 3)
    if isinstance(one.found, NoEstimate):
        return row | {"share of bytes read again": "cannot estimate", ENOUGH: None}
    return row | {"share of bytes read again": percent(one.found.again), ENOUGH: one.found.flat_tb}
