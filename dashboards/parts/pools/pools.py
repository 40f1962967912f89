"""How much did each pool move, which pools carry the work, and does one carry more than its share?"""

import polars as pl
import streamlit as st

from dashboards import charts, components, pool_choice
from dashboards.charts import bars
from dashboards.head import Page

PART = {
    "title": "Use and skew",
    "order": 30,
    "needs": ["silver.pool_request", "gold.pool_share", "silver.pool_hour"],
    "lacking": "dCache's billing or statistics files",
}
SKEW = ["kind", "system", "work", "member", "moved_gb", "share", "fair_share"]
USE = [
    "system", "operation", "storage_group", "file_family", "pool", "n_done", "n_failed", "moved_gb", "share",
    "latency_p50_s", "latency_p90_s",
]  # fmt: skip
TRAFFIC = [
    "system", "pool", "storage_group", "file_family", "n_stores", "stored_gb", "n_restores", "restored_gb",
    "client_in_gb", "client_out_gb", "n_errors", "held_gb", "n_files", "counted_hours", "reset_hours",
]  # fmt: skip
PHASES = [
    "system", "operation", "region_no", "from_at", "to_at", "n_pools", "even_pools", "pools", "changed",
    "reason_missing",
]  # fmt: skip
FACTORS = [
    "system", "pool", "server", "n_on_server", "raid", "streams", "qos", "balance", "others", "asked_gb", "share",
    "asked_mb_s",
]  # fmt: skip
FACTS = ("server", "raid", "streams", "qos", "balance")


def draw(page: Page) -> None:
    """Draw the part."""
    pool = pool_choice.choose(page)
    skew = page.ask("pool_skew")
    components.heading(skew)
    shares = skew.rows_of(member=pool)
    if shares:
        frame = skew.frame(shares).with_columns(who=charts.joined("member", "work"))
        off = frame.sort((pl.col("share") / pl.col("fair_share")), "who", descending=[True, False])
        chart = bars.single(off, "who", "share", "share of the requests (pools) or bytes (disks)", "fair_share")
        components.show_chart(
            skew, chart, "Each pool's or disk's share of the load. The tick is its share if the load were equal."
        )
        st.caption(
            "Tick: the share of each pool or disk if all with the same kind of work had equal loads."
            " Pools and disks furthest above their tick come first."
        )
        components.show_table(skew, SKEW, shares)
    else:
        st.text(f"No log shows the load of {'this pool' if pool else 'pools or disks'} in this period.")
    components.show_sql(skew)
    use = page.ask("pool_use")
    if rows := use.rows_of(pool=pool):
        components.show_part(use, USE, rows)
    traffic = page.ask("pool_traffic")
    if rows := traffic.rows_of(pool=pool):
        components.show_part(traffic, TRAFFIC, rows)
        if any(row["reset_hours"] for row in rows):
            st.caption("Hours in which a counter went down, as after a restart, have no numbers: see `reset_hours`.")
    with components.closed("When the use of pools changed", "phases") as is_open:
        if is_open:
            phases = page.ask("pool_usage_phases")
            components.show_part(
                phases, PHASES, None, "No analysis of the use of pools was made up to the period's last day."
            )
    with components.closed("Facts about pools and their servers", "factors") as is_open:
        if is_open:
            factors = page.ask("pool_factors")
            rows = [row for row in factors.rows_of(pool=pool) if any(row[name] is not None for name in FACTS)]
            components.show_part(factors, FACTORS, rows, "site.toml declares no [[fact]] about a pool.")
