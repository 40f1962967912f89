"""When was how much asked for, and what did it wait for, stage by stage?"""

import polars as pl
import streamlit as st

from dashboards import charts, components, fields, pool_choice
from dashboards.charts import bars, series
from dashboards.head import Page
from pipelines.primitives import format

PART = {
    "title": "Requests and waits",
    "order": 10,
    "needs": ["silver.pool_request", "silver.request"],
    "lacking": "dCache's billing files, Enstore's LOG files, or the log of CTA's frontend",
    "filters": ["group"],
    "compares": True,
}
STAGES = {
    "queue_hours": "in queues", "mount_hours": "mounting", "turn_hours": "label check and reading earlier files",
    "position_hours": "winding", "read_hours": "reading", "deliver_hours": "delivering to the pool",
    "served_hours": "in the tape system, stage unknown",
}  # fmt: skip
SHARES = {
    "queue_share": "in queues", "mount_share": "mounting", "turn_share": "label check and reading earlier files",
    "position_share": "winding", "read_share": "reading", "deliver_share": "delivering to the pool",
}  # fmt: skip
TABLE = [
    "pool", "storage_group", "n_recalls", "n_followed", "median_latency_s", "latency_hours", "slowest", "queue_share",
    "mount_share", "turn_share", "position_share", "read_share", "deliver_share",
]  # fmt: skip
BY = {"pool": "requests of disk pools", "client": "requests in the tape system's queue"}


def draw(page: Page) -> None:
    """Draw the part: one kind of requests at a time, for a file may be in both."""
    group, pool = page.chosen["group"], pool_choice.choose(page)
    narrowed = {"group": group, "pool": pool}
    found, before = page.ask("request_hours", **narrowed), page.ask_before("request_hours", **narrowed)
    kinds = [kind for kind in BY if found.rows_of(asked_by=kind)]
    if not kinds:
        st.text("No log shows a request in this period.")
        components.show_sql(found)
        return
    kind = fields.choose("asked_by", "Show", kinds, BY, page=st) if len(kinds) > 1 else kinds[0]
    rows = found.rows_of(asked_by=kind)
    frame = found.frame(rows)
    earlier = None
    if before:
        earlier = before.frame(before.rows_of(asked_by=kind)).with_columns(pl.col("bin_at") + page.shift)
    _say(frame, kind)
    components.heading(found, "Hours that requests waited, by time of request")
    chart = series.bars(frame, STAGES, "waiting time [h]", page.span(), earlier)
    components.show_chart(found, chart, "Hours of waiting over the period, by stage.", zooms=True)
    counted = frame.with_columns(
        n_read=pl.when(pl.col("mode") == "read").then("n_requests"),
        n_written=pl.when(pl.col("mode") == "write").then("n_requests"),
    )
    names = {"n_read": "read from tape", "n_written": "written to tape"}
    components.show_chart(
        found, series.bars(counted, names, "requests", page.span()), "Number of requests over the period."
    )
    components.show_sql(found, *([before] if before else []))
    stages = page.ask("recall_stages")
    if kind == "pool" and (shown := stages.rows_of(storage_group=group, pool=pool)):
        components.heading(stages)
        if followed := [row for row in shown if row["n_followed"]]:
            stage_rows = stages.frame(followed).with_columns(who=charts.joined("pool", "storage_group"))
            chart = bars.stacked(stage_rows, "who", SHARES, "share of the waiting time", format.SHARE)
            components.show_chart(stages, chart, "Share of each stage in the waiting time, by pool.")
        else:
            st.info("No recall of this period can be traced through the tape system, so the stages are unknown.")
        components.show_table(stages, TABLE, shown)
        components.show_sql(stages)
    elif kind == "client":
        waits = page.ask("request_waits", group=group)
        components.show_part(waits, ["storage_group", "mode", "n_requests", "p50_s", "p95_s", "max_s", "n_retried"])


def _say(frame: pl.DataFrame, kind: str) -> None:
    """How many, how many failed and in which stage most hours went, as a sentence."""
    sums = {text: float(frame[name].sum() or 0) for name, text in STAGES.items()}
    total, (most, hours) = sum(sums.values()), max(sums.items(), key=lambda one: one[1])
    failed = int(frame["n_failed"].sum() or 0)
    parts = f"{format.counted(int(frame['n_requests'].sum()), 'request')}"
    if kind == "pool":
        parts += f", {failed:,} of them failed or were cancelled" if failed else ", none failed or was cancelled"
    if total:
        parts += (
            f". The requests waited {format.quantity(total, 'h')} in total, {format.percent(hours / total)}"
            f" of this time {_spent(most)}"
        )
    st.markdown(f"**{parts}.**")


def _spent(stage: str) -> str:
    """A stage as what hours were spent on: "in queues" stays as it is, "mounting" becomes "for mounting"."""
    return stage if stage.startswith("in ") else f"for {stage}"
