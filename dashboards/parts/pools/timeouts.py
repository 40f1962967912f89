"""Which requests died waiting, and was it their pool's cost that sent them there?"""

import polars as pl
import streamlit as st

from dashboards import charts, components, pool_choice
from dashboards.charts import bars
from dashboards.head import Page
from pipelines.primitives import format

PART = {
    "title": "Timeouts",
    "order": 40,
    "needs": ["silver.pool_request"],
    "lacking": "dCache's billing files",
}
TABLE = [
    "system", "pool", "operation", "n_requests", "n_timeouts", "timeout_share", "n_never_started", "waited_hours",
    "not_moved_gb", "n_elsewhere", "load_ratio", "is_cost_suspect",
]  # fmt: skip


def draw(page: Page) -> None:
    """Draw the part."""
    found = page.ask("pool_timeouts")
    rows = found.rows_of(pool=pool_choice.choose(page))
    components.heading(found)
    n_timeouts, n_requests = (sum(row[name] for row in rows) for name in ("n_timeouts", "n_requests"))
    if not rows:
        st.text("No log shows a pool's request in this period.")
    elif not n_timeouts:
        st.text(f"None of {format.counted(n_requests, 'request')} timed out.")
    else:
        hours = sum(row["waited_hours"] or 0 for row in rows)
        st.markdown(
            f"**{n_timeouts:,} of {format.counted(n_requests, 'request')} timed out"
            f" after waiting {format.quantity(hours, 'h')} in total.**"
        )
        named = found.frame(rows).filter(pl.col("n_timeouts") > 0).with_columns(who=charts.joined("pool", "operation"))
        top = named.sort("waited_hours", "who", descending=[True, False])
        chart = bars.single(top, "who", "waited_hours", found.label("waited_hours"))
        components.show_chart(found, chart, "Hours that requests waited before they timed out, by pool.")
    if rows:
        components.show_table(found, TABLE, rows)
    components.show_sql(found)
