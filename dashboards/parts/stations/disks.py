"""Can the disks feed the drives? Block tests, bursts of write-back, disks at once, room of spools and caches."""

import streamlit as st

from dashboards import charts, components, words
from dashboards.charts import bars
from dashboards.head import Page
from pipelines.primitives import format

PART = {
    "title": "Disks and bursts",
    "order": 60,
    "needs": [
        "silver.benchmark_run", "gold.flush_pattern", "gold.disk_concurrency", "silver.cache_sample",
        "gold.duty_factor",
    ],
    "lacking": "vmstat or iostat at one second, iostat -x, sar -d, nmon, AMASS's sysperf, or what dd and time printed",
    "filters": ["station"],
}  # fmt: skip
TESTS = ["host", "mode", "block_bytes", "n_runs", "low_mb_s", "p50_mb_s", "high_mb_s", "ratio_to_best", "is_advised"]
FLUSHES = ["host", "n_bursting", "period_s", "on_s", "amplitude_mb_s", "mean_mb_s", "implied_cache_gb"]
SPOOLS = ["station", "spool_gb", "in_active_mb_s", "net_mb_s", "outage_hours", "fill_hours"]
DISKS = [
    "host", "n_writing", "n_reading", "n_samples", "low_write_mb_s", "p50_write_mb_s", "p50_read_mb_s",
    "high_read_mb_s",
]  # fmt: skip
CACHE = [
    "host", "n_samples", "blocks_total", "files_total", "blocks_a_file", "blocks_a_place", "blocks_high", "files_high",
    "blocks_out", "files_out", "binding_limit",
]  # fmt: skip
HOURS = {"outage_hours": "until full, nothing goes out", "fill_hours": "until full, output goes on"}
MOST_NAMED = 3  # hosts, in a sentence


def draw(page: Page) -> None:
    """Draw the part: what no log of the period has does not show."""
    station = page.chosen["station"]
    flushes, spools = page.ask("flushes"), page.ask("spool_headroom")
    if rows := flushes.rows_of(host=station):
        components.heading(flushes)
        for row in rows:
            st.text(
                f"{row['host']} writes in bursts of {format.duration(row['on_s'])} every"
                f" {format.duration(row['period_s'])}. If write-back starts at 10 % dirty pages, the cache is about"
                f" {format.quantity(row['implied_cache_gb'], 'GB')}."
            )
        components.show_table(flushes, FLUSHES, words.in_order(rows, "host"))
        components.show_sql(flushes)
    if rows := spools.rows_of(station=station):
        components.heading(spools)
        rows = words.in_order(rows, "station")
        known = {name: text for name, text in HOURS.items() if any(row[name] is not None for row in rows)}
        for name, text in known.items():
            st.text(f"Hours {text}")
            shown = spools.frame([row for row in rows if row[name] is not None])
            components.show_chart(spools, bars.single(shown, "station", name, spools.label(name)), text)
        components.show_table(spools, SPOOLS, rows)
        components.show_sql(spools)
    tests = page.ask("block_sizes", host=station)
    if tests.rows:
        components.heading(tests)
        shown_tests = [row | {"host": f"{row['host']} {row['mode'] or ''}"} for row in tests.rows]
        titles = {"block_bytes": tests.label("block_bytes"), "p50_mb_s": tests.label("p50_mb_s")}
        chart = charts.lines(tests.frame(shown_tests), "block_bytes", "p50_mb_s", "host", titles, True, 3)
        components.show_chart(tests, chart, "The median rate by block size.")
        components.show_table(tests, TESTS)
        components.show_sql(tests)
    _show_disks(page, station)
    cache = page.ask("cache_limits")
    if rows := cache.rows_of(host=station):
        components.show_part(cache, CACHE, rows)


def _show_disks(page: Page, station: str) -> None:
    """Rates of disks at once, or which host's disks only their sum is known of."""
    disks = page.ask("disks_at_once")
    rows = disks.rows_of(host=station)
    vmstat = {row["host"] for row in page.ask("coverage_hours").rows if row["source"] == "vmstat" and row["seen_s"]}
    components.heading(disks)
    if rows:
        components.show_table(disks, DISKS, words.in_order(rows, "host"))
    else:
        apart = "No disk's own reads and writes are known: iostat -x, sar -d, vmstat -d or nmon bring them."
        if hosts := sorted(vmstat, key=words.natural):
            named = format.listed(hosts, MOST_NAMED)
            apart += f" What is loaded of vmstat ({named}) counts all disks of a host together."
        st.text(apart)
    components.show_sql(disks)
