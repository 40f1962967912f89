"""Can the disks feed the drives? Block tests, bursts of write-back, disks at once, room of spools and caches."""

from collections.abc import Callable

import streamlit as st

from dashboards import charts, components, words
from dashboards.charts import bars
from dashboards.data import Asked
from dashboards.head import Page
from pipelines.primitives import format
from pipelines.primitives.text import natural

PART = {
    "title": "Disks and bursts",
    "order": 60,
    "needs": [
        "silver.benchmark_run", "gold.flush_pattern", "gold.disk_concurrency", "silver.cache_sample",
        "gold.duty_factor",
    ],
    "lacking": "vmstat or iostat with an interval of 1 s, iostat -x, sar -d, nmon, AMASS's sysperf, dd timings, or"
    " traffic of a station's links",
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
HOURS = {
    "outage_hours": "Hours until an empty spool is full if nothing leaves it, at the average input rate of half-hours"
    " above the duty threshold",
    "fill_hours": "Hours until an empty spool is full at the average rates into and out of the station",
}
MOST_NAMED = 3  # hosts, in a sentence
AT_ONCE = 2  # sections
Section = tuple[Asked, Callable[[], None]]


def draw(page: Page) -> None:
    """Draw the part: what no log of the period has does not show. The first sections are open, the others can be."""
    sections = [one for find in (_spools, _tests, _flushes, _disks, _cache) if (one := find(page))]
    for number, (found, show) in enumerate(sections):
        if number < AT_ONCE:
            components.heading(found)
            show()
            continue
        with components.closed(found.title, found.name) as is_open:
            if is_open:
                show()
    disks = page.ask("disks_at_once")
    if not disks.rows_of(host=page.chosen["station"]):
        _say_apart(page)
        components.show_sql(disks)


def _flushes(page: Page) -> Section | None:
    """Bursts of write-back."""
    flushes = page.ask("flushes")
    rows = words.in_order(flushes.rows_of(host=page.chosen["station"]), "host")

    def draw() -> None:
        for row in rows:
            st.text(
                f"{row['host']} writes to disk in bursts of {format.duration(row['on_s'])}, one every"
                f" {format.duration(row['period_s'])}. If each burst flushes a tenth of the page cache, the cache"
                f" is about {format.quantity(row['implied_cache_gb'], 'GB')}."
            )
        components.show_table(flushes, FLUSHES, rows)
        components.show_sql(flushes)

    return (flushes, draw) if rows else None


def _spools(page: Page) -> Section | None:
    """How long spools last."""
    spools = page.ask("spool_headroom")
    rows = words.in_order(spools.rows_of(station=page.chosen["station"]), "station")

    def draw() -> None:
        for name, text in HOURS.items():
            if known := [row for row in rows if row[name] is not None]:
                st.text(text)
                chart = bars.single(spools.frame(known), "station", name, spools.label(name))
                components.show_chart(spools, chart, text)
        components.show_table(spools, SPOOLS, rows)
        components.show_sql(spools)

    return (spools, draw) if rows else None


def _tests(page: Page) -> Section | None:
    """Block tests."""
    tests = page.ask("block_sizes", host=page.chosen["station"])

    def draw() -> None:
        shown = [row | {"host": f"{row['host']} {row['mode'] or ''}"} for row in tests.rows]
        titles = {"block_bytes": tests.label("block_bytes"), "p50_mb_s": tests.label("p50_mb_s")}
        chart = charts.lines(tests.frame(shown), "block_bytes", "p50_mb_s", "host", titles, True, 3)
        components.show_chart(tests, chart, "Median rate of the timed tests, by block size.")
        components.show_table(tests, TESTS)
        components.show_sql(tests)

    return (tests, draw) if tests.rows else None


def _disks(page: Page) -> Section | None:
    """Rates of disks at once."""
    disks = page.ask("disks_at_once")
    rows = words.in_order(disks.rows_of(host=page.chosen["station"]), "host")

    def draw() -> None:
        components.show_table(disks, DISKS, rows)
        components.show_sql(disks)

    return (disks, draw) if rows else None


def _say_apart(page: Page) -> None:
    """Why no disk is known by itself, and of which hosts only the sum of their disks is."""
    vmstat = {row["host"] for row in page.ask("coverage_hours").rows if row["source"] == "vmstat" and row["covered_s"]}
    text = "No log shows the use of each disk. iostat -x, sar -d, vmstat -d and nmon record reads and writes by disk."
    if hosts := sorted(vmstat, key=natural):
        named = format.listed(hosts, MOST_NAMED)
        text += f" vmstat logs ({named}) only count the sum over all disks of a host."
    st.text(text)


def _cache(page: Page) -> Section | None:
    """Limits of AMASS' cache."""
    cache = page.ask("cache_limits")
    rows = cache.rows_of(host=page.chosen["station"])

    def draw() -> None:
        components.show_table(cache, CACHE, rows)
        components.show_sql(cache)

    return (cache, draw) if rows else None
