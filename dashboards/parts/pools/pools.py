"""Can the disks feed the drives? Rates against streams, who gets how much, links and their ceilings, bursts."""

import streamlit as st

from dashboards import charts, components, fields, words
from dashboards.head import Page
from pipelines.primitives.text import escape_markdown

PART = {
    "title": "Pools and disks",
    "order": 10,
    "filters": ["station"],
}
LINKS = ["link", "station", "direction", "hour_at", "avg_mb_s", "max_mb_s", "capacity_mb_s", "max_share"]
STREAMS = [
    "station",
    "mode",
    "n_streams",
    "n_opposite",
    "seen_s",
    "total_mb_s",
    "stream_mb_s",
    "retained_share",
    "fairness",
]
DISKS = [
    "host",
    "n_writing",
    "n_reading",
    "n_samples",
    "low_write_mb_s",
    "p50_write_mb_s",
    "p50_read_mb_s",
    "high_read_mb_s",
]
POOLS = [
    "system",
    "operation",
    "storage_group",
    "pool",
    "n_done",
    "n_failed",
    "moved_gb",
    "share",
    "latency_p50_s",
    "latency_p90_s",
]
TIMEOUTS = [
    "pool", "operation", "n_requests", "n_timeouts", "n_never_started", "waited_hours", "n_elsewhere", "load_ratio",
    "is_cost_suspect",
]  # fmt: skip
REGIONS = [
    "system",
    "operation",
    "region_no",
    "from_at",
    "to_at",
    "n_pools",
    "even_pools",
    "pools",
    "changed",
    "reason_missing",
]
FACTORS = [
    "system",
    "pool",
    "server",
    "n_on_server",
    "raid",
    "streams",
    "qos",
    "balance",
    "others",
    "asked_gb",
    "share",
    "asked_mb_s",
]
CACHE = [
    "host",
    "n_samples",
    "blocks_a_file",
    "blocks_a_place",
    "blocks_high",
    "files_high",
    "blocks_out",
    "binding_limit",
]
RETRIEVES = [
    "day", "pool", "n_runs", "n_not_done", "read_gb", "worker_mb_s", "reading_hours", "mean_workers", "waiting_hours",
    "lone_hours", "lone_share", "foregone_gb",
]  # fmt: skip
RECALLS = ["system", "volume", "n_files", "n_mounts", "n_alone", "n_avoidable_mounts", "spared_share", "n_unknown"]
FULLEST, MOST_NAMED = 10, 6
WHOLE = (
    "pool_skew",
    "pool_use",
    "pool_timeouts",
    "retrieve_streams",
    "recalls_by_volume",
    "pool_usage_phases",
    "pool_factors",
)


def draw(page: Page) -> None:
    """Draw the part."""
    station = page.chosen["station"]
    streams = page.ask("streams_per_station")
    components.heading(streams)
    chosen = words.in_order(streams.rows_of(station=station), "station")
    if chosen:
        most = int(fields.slide("opposite", "Streams the other way, up to", 0.0, 8.0, 0.0, 1.0))
        shown = []
        for row in (row for row in chosen if row["n_opposite"] <= most):
            against = f"against {row['n_opposite']}" if row["n_opposite"] else "alone"
            shown.append(row | {"station": f"{row['station']} {row['mode']} {against}"})
        titles = {"n_streams": "streams at once", "stream_mb_s": streams.label("stream_mb_s")}
        components.show_chart(
            streams, charts.lines(streams.frame(shown), "n_streams", "stream_mb_s", "station", titles)
        )
        components.show_table(streams, STREAMS, chosen)
    else:
        st.info("No station's transfers are known in this period. Load the logs of the drives with `tapescope run`.")
    components.show_sql(streams)

    loads = page.ask("link_loads", station=station)
    components.heading(loads)
    if loads.rows:
        busiest = sorted(loads.rows, key=lambda row: -(row["max_share"] or 0))
        frame = loads.frame().with_columns(log=charts.joined("link", "direction"))
        tips = ["log:N", charts.instant("hour_at", "hour"), charts.share("max_share", "peak of capacity")]
        tips += [charts.number(name, loads.label(name)) for name in ("avg_mb_s", "max_mb_s")]
        chart = charts.heat_map(
            frame, "log", "max_share", "highest peak of what the link can carry", tips, page.span(), charts.RED
        )
        components.show_chart(loads, chart)
        st.caption("Faint: little traffic. Empty: no log of that hour, or nothing says what the link can carry.")
        st.text("The fullest hours first:")
        components.show_table(loads, LINKS, busiest, most=FULLEST)
    else:
        st.info(
            "No link's traffic is known: it comes from MRTG's logs, LibreNMS' rrd files, or the interface counters of"
            " Prometheus, Telegraf, collectd or sar where site.toml gives a [[link]] its `port`."
        )
    components.show_sql(loads)

    tests = page.ask("block_sizes", host=station)
    components.heading(tests)
    if tests.rows:
        shown = [row | {"host": f"{row['host']} {row['mode'] or ''}"} for row in tests.rows]
        titles = {"block_bytes": tests.label("block_bytes"), "p50_mb_s": tests.label("p50_mb_s")}
        components.show_chart(
            tests, charts.lines(tests.frame(shown), "block_bytes", "p50_mb_s", "host", titles, True, 3)
        )
        components.show_table(tests, tests.names)
    else:
        st.info("No timed test is known. Load what dd, time or timex printed.")
    components.show_sql(tests)

    apart = "No disk's own reads and writes are known. Load iostat -x, sar -d, vmstat -d or nmon of the stations."
    vmstat = {row["host"] for row in page.ask("coverage_hours").rows if row["source"] == "vmstat" and row["seen_s"]}
    if hosts := sorted(vmstat, key=words.natural):
        known = ", ".join(escape_markdown(host) for host in hosts[:MOST_NAMED]) + (
            " and others" * (len(hosts) > MOST_NAMED)
        )
        apart += f" What is loaded of vmstat ({known}) counts all disks of a host together."
    for name, columns, lacking in (
        ("flushes", ["host", "n_bursting", "period_s", "on_s", "amplitude_mb_s", "mean_mb_s", "implied_cache_gb"],
         "No bursts were seen. Load vmstat or iostat of the stations, at one second."),
        ("disks_at_once", DISKS, apart),
        ("spool_headroom", ["station", "spool_gb", "in_active_mb_s", "net_mb_s", "outage_hours", "fill_hours"],
         "site.toml gives no station's `spool_gb`, or no traffic is known."),
        ("pool_skew", ["kind", "system", "work", "member", "moved_gb", "share", "fair_share"],
         "No pools' requests and no disks are known. Load dCache's billing files, or iostat."),
        ("pool_usage_phases", REGIONS, "No pools' requests are known. Load dCache's billing files."),
        ("pool_factors", FACTORS, "No pools' requests are known, and no [[fact]] of site.toml names the server of one."),
        ("pool_timeouts", TIMEOUTS, "No pools' requests are known. Load dCache's billing files."),
        ("cache_limits", CACHE, "No cache's blocks and open files are known. Load AMASS's sysperf screens."),
        ("pool_use", POOLS, "No pools' requests are known. Load dCache's billing files with `tapescope run`."),
        ("retrieve_streams", RETRIEVES, "No retrieves are known. Load the logs of ENDIT's retriever."),
        ("recalls_by_volume", RECALLS, "No recalls are known. Load the logs of ENDIT's retriever, and its hint file."),
    ):  # fmt: skip
        found = page.ask(name)
        rows = [row for row in found.rows if row.get("station", row.get("host", station)) == station or not station]
        components.show_part(found, columns, rows, lacking)
