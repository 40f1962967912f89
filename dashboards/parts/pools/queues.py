"""How deep were the queues of ENDIT and CTA, and did workers run at their limit?"""

import polars as pl
import streamlit as st

from dashboards import charts, components
from dashboards.charts import bars
from dashboards.head import Page

PART = {
    "title": "Queues",
    "order": 50,
    "needs": ["silver.endit_sample", "silver.queue_sample"],
    "lacking": "ENDIT's statistics files, or answers of cta-admin --json showqueues",
}
QUEUE = [
    "day", "pool", "operation", "n_samples", "done_gb", "done_files", "n_retries", "avg_queued_gb", "max_queued_gb",
    "avg_workers", "max_workers", "worker_limit", "full_share", "backoff_share",
]  # fmt: skip
QUEUES = [
    "storage_group", "mode", "n_polls", "max_files", "max_gb", "max_age_s", "max_overdue_s", "overdue_share",
    "overdue_idle_share",
]  # fmt: skip


def draw(page: Page) -> None:
    """Draw the part: what no log of the period has does not show."""
    queue, queues = page.ask("endit_queue"), page.ask("queues")
    for found, who, value, columns in (
        (queue, ("pool", "operation"), "max_queued_gb", QUEUE),
        (queues, ("storage_group", "mode"), "max_age_s", QUEUES),
    ):
        if not found.rows:
            continue
        components.heading(found)
        named = found.frame().with_columns(who=charts.joined(*who)).group_by("who").agg(pl.max(value))
        top = named.drop_nulls(value).sort(value, "who", descending=[True, False])
        if top.height:
            chart = bars.single(top, "who", value, found.label(value))
            components.show_chart(found, chart, f"{found.label(value)}, by pool or group.")
        components.show_table(found, columns)
        components.show_sql(found)
    if not (queue.rows or queues.rows):
        st.text("No queue was sampled in this period.")
        components.show_sql(queue, queues)
