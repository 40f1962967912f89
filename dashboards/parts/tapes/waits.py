"""Who waits for tapes, for whom they are read, and which files come back."""

import streamlit as st

from dashboards import charts, components
from dashboards.charts import bars
from dashboards.head import Page

PART = {
    "title": "Waits",
    "order": 60,
    "needs": ["silver.request", "silver.pool_request"],
    "lacking": "logs of requests: Enstore's LOG files, the log of CTA's frontend, or dCache's billing files",
    "filters": ["group", "station"],
}
WAITS = ["storage_group", "mode", "n_requests", "p50_s", "p95_s", "max_s", "n_retried"]
AGAIN = ["storage_group", "file_family", "pnfsid", "n_repeats", "again_gb", "n_pools", "shortest_s", "last_at"]
CLIENTS = [
    "system", "storage_group", "read_from", "n_restores", "restored_gb", "share", "n_reads", "protocols",
    "latency_p50_s", "unread_p50_s",
]  # fmt: skip


def draw(page: Page) -> None:
    """Draw the part. Clients and repeated restores are of pools: they show where there are any."""
    group = page.chosen["group"]
    waits = page.ask("request_waits", group=group, station=page.chosen["station"])
    clients = page.ask("recall_clients", group=group)
    again = page.ask("repeated_restores")
    repeated = again.rows_of(storage_group=group)
    if waits.rows:
        components.heading(waits)
        named = waits.frame().with_columns(who=charts.joined("storage_group", "mode"))
        chart = bars.ranges(
            named,
            "who",
            "p50_s",
            "p95_s",
            "wait [s], logarithmic",
            ("median wait [s]", "wait that 5 % of requests exceed [s]"),
        )
        components.show_chart(waits, chart, "The median wait and the wait that 5 % of requests exceed, by group.")
        st.caption("Filled dot: the median wait. Open diamond: the wait that 5 % of requests exceed.")
        components.show_table(waits, WAITS)
        components.show_sql(waits)
    if clients.rows or repeated:
        page.say_not_narrowed("station", "Logs of pools name no station, so the tables below cover all stations")
    if clients.rows:
        components.show_part(clients, CLIENTS)
    if repeated:
        components.show_closed(again, AGAIN, repeated)
    elif clients.rows:
        st.text("No file was restored again within 7 days of its previous restore.")
    if not (waits.rows or clients.rows or repeated):
        st.text("No log shows how long a request of this period waited.")
        components.show_sql(waits, clients, again)
