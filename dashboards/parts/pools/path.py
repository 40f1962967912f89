"""One recall, from queue to pool: where the slowest files, or one you name, spent their time."""

import polars as pl
import streamlit as st

from dashboards import charts, components, data, fields, pool_choice
from dashboards.charts import bars
from dashboards.head import Page
from pipelines.primitives import format

PART = {
    "title": "Follow one request",
    "order": 20,
    "needs": ["silver.recall"],
    "lacking": "dCache's billing files, with the log of CTA's tape daemon or of ENDIT's retriever",
}
STAGES = {
    "queue_s": "in queues", "mount_s": "mounting", "turn_s": "label check and reading earlier files",
    "position_s": "winding", "read_s": "reading", "deliver_s": "delivering to the pool",
}  # fmt: skip
SLOWEST = 10_000  # of all pools, to find those of one
TABLE = [
    "pnfsid", "pool", "storage_group", "volume_gb", "created_at", "latency_s", "slowest", "queue_s", "mount_s",
    "turn_s", "position_s", "read_s", "deliver_s", "via", "volume", "drive", "n_tries", "outcome",
]  # fmt: skip


def draw(page: Page) -> None:
    """Draw the part."""
    file = fields.type_text("file", "dCache's file id (pnfsid); leave empty for the slowest recalls", "").strip()
    pool = pool_choice.choose(page)
    found = page.ask("recall_path", file=file, n=SLOWEST if pool else 50)
    rows = found.rows_of(pool=pool)
    components.heading(found)
    if not rows:
        st.text(
            "The logs are not enough to follow a recall of this file."
            if file
            else "The logs are not enough to follow a recall of this period."
        )
        components.show_sql(found)
        return
    slowest = rows[0]
    st.text(
        f"The slowest recall took {format.duration(slowest['latency_s'])}; its longest stage was"
        f" “{STAGES[slowest['slowest'] + '_s']}”."
        f" Tape {slowest['volume'] or 'not known'}, drive {slowest['drive'] or 'not known'}."
    )
    named = found.frame(rows).with_row_index("place", 1).with_columns(
        pl.col(list(STAGES)) / 60,
        at=pl.col("created_at").dt.strftime("%d %b %H:%M"),
    ).with_columns(recall=charts.joined("place", "pool", "at"))  # fmt: skip
    chart = bars.stacked(named, "recall", STAGES, "minutes from the request until the pool had the file", "min")
    components.show_chart(found, chart, "Stages of each recall as a bar, the slowest recall first.")
    components.show_table(found, TABLE, rows)
    if slowest["path"]:
        st.caption("The slowest recall in the pool's billing file:")
        number = int(slowest["line_no"])
        lines = data.lines(page.snapshot, slowest["path"], range(number, number + 1))
        components.show_lines((slowest["path"], number, None if isinstance(lines, str) else lines.get(number)))
    components.show_sql(found)
