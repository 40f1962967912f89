"""Did a host have anything left? Its processors, disks and network over time, and what drives moved for it."""

from typing import Any

import polars as pl
import streamlit as st

from dashboards import components, fields
from dashboards.charts import series
from dashboards.head import Page
from pipelines.primitives import format
from pipelines.primitives.text import escape_markdown, natural

PART = {
    "title": "Hosts",
    "order": 40,
    "needs": ["gold.host_hour"],
    "lacking": "samples of the hosts by vmstat, iostat, sar, nmon, collectd or Prometheus",
    "filters": ["station"],
    "names": ["host"],
}
CPU = {"cpu_user": "user code", "cpu_system": "kernel", "cpu_wait": "I/O wait"}
PANELS = (
    ("Processors", {**CPU}, "share of processor time", True),
    ("Disks", {"read_mb_s": "read from disks", "write_mb_s": "written to disks"}, "MB/s", False),
    ("Network", {"in_mb_s": "received", "out_mb_s": "sent"}, "MB/s", False),
    ("Drives", {"tape_read_mb_s": "read from tape", "tape_write_mb_s": "written to tape"}, "MB/s", False),
    ("Busiest disk", {"disk_busy": "busy"}, "share of time", True),
)
AT_ONCE = 3  # panels; the others open
TABLE = [
    "bin_at", "bin_s", "cpu_user", "cpu_system", "cpu_wait", "cpu_idle", "run_queue", "blocked", "read_mb_s",
    "write_mb_s", "disk_busy", "in_mb_s", "out_mb_s", "tape_read_mb_s", "tape_write_mb_s",
]  # fmt: skip


def draw(page: Page) -> None:
    """Draw the part: one host at a time, its panels on one axis of time."""
    sampled = page.ask("sampled_hosts")
    hosts = sorted((row["host"] for row in sampled.rows), key=natural)
    if not hosts:
        components.heading(sampled)
        st.text("No log has samples of a host in this period.")
        components.show_sql(sampled)
        return
    if page.chosen["station"] in hosts:
        hosts = [page.chosen["station"]]
    else:
        page.say_not_narrowed("station", "No log of these days has samples of a host with that name")
    host = fields.choose("host", "Host", hosts, page=st.columns(3)[0])
    found = page.ask("host_activity", host=host)
    components.heading(found)
    _say(next(row for row in sampled.rows if row["host"] == host), found.rows)
    frame = found.frame()
    span = series.extent(sampled.frame(), page.span())  # of all hosts: one that fell silent shows it
    drawn = [panel for panel in PANELS if any(frame[name].drop_nulls().len() for name in panel[1])]

    def show_panel(number: int, title: str, names: dict[str, str], unit: str, is_share: bool) -> None:
        known = {name: words for name, words in names.items() if frame[name].drop_nulls().len()}
        title_y = f"{title.lower()} [{'%' if is_share else unit}]"
        chart = series.measures(frame, known, title_y, span, is_share, is_share)
        components.show_chart(found, chart, f"{title} of {host}, {unit}.", zooms=number == 0)

    for number, panel in enumerate(drawn[:AT_ONCE]):
        show_panel(number, *panel)
    if more := drawn[AT_ONCE:]:
        with components.closed(" and ".join(panel[0] for panel in more), "host-more") as is_open:
            for number, panel in enumerate(more if is_open else (), AT_ONCE):
                show_panel(number, *panel)
    components.show_table(found, TABLE, found.rows)
    components.show_sql(sampled, found)


def _say(sampled: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    """How little was left, as a sentence; of what was sampled. Samples need not fill the first and the last step."""
    frame = pl.DataFrame(rows, infer_schema_length=None).select("cpu_idle", "cpu_wait", "write_mb_s", "bin_s")
    idle = frame["cpu_idle"].cast(pl.Float64).drop_nulls()
    length = min(float(frame["bin_s"].sum()), (sampled["to_at"] - sampled["from_at"]).total_seconds())
    parts = [f"{escape_markdown(sampled['host'])} was sampled for {format.duration(length)}"]
    if idle.len():
        parts.append(
            f"its processors were {format.percent(float(idle.mean() or 0))} idle on average,"  # type: ignore[arg-type]
            f" and at least {format.percent(float(idle.min() or 0))} idle at each point"  # type: ignore[arg-type]
            " of the charts"
        )
    st.markdown(
        f"**{'; '.join(parts)}.** Each point is the average over {format.duration(float(frame['bin_s'][0]))};"
        " for the busiest disk, each point is the highest value in that time."
    )
