"""Which stations work, which wait? Their traffic in MRTG's manner, and how much of the time they were active."""

from datetime import timedelta

import streamlit as st

from dashboards import charts, components, fields, words
from dashboards.head import Page

PART = {
    "title": "Traffic and duty",
    "order": 10,
    "needs": ["gold.duty_factor", "silver.link_sample"],
    "lacking": "MRTG's logs or interface counters",
    "filters": ["station"],
    "compares": True,
}
TABLE = [
    "station", "role", "duty_factor", "duty_factor_out", "duty_half", "duty_twice", "active_in_mb_s", "active_out_mb_s",
    "coverage",
]  # fmt: skip
VALLEY = [
    "station",
    "direction",
    "low_mb_s",
    "high_mb_s",
    "separation",
    "valley_mb_s",
    "duty_at_valley",
    "threshold_mb_s",
    "duty",
]
BALANCE = ["station", "role", "day", "in_tb", "out_tb", "unaccounted_tb", "out_duty", "needed_out_duty"]
STREAMS = ["station", "direction", "n_days_active", "long_mb_s", "stream_mb_s", "n_streams", "efficiency"]
ALONE = ["station", "mode", "n_streams", "n_opposite", "seen_s", "total_mb_s", "stream_mb_s", "retained_share"]


def draw(page: Page) -> None:
    """Draw the part."""
    station, n_days = page.chosen["station"], max(7, page.n_days)
    total = page.ask("duty_total", n_days=n_days)
    if not total.rows:
        loads = page.ask("link_loads")
        links = sorted({row["link"] for row in loads.rows})
        if links:
            st.info(
                f"Traffic of {len(links)} links was read, but site.toml does not say whose they are: give each [[link]] its"
                " `station`, and this page shows what stations send and receive. These are the links:"
            )
            components.show_table(loads, ["link", "direction", "hour_at", "avg_mb_s", "max_mb_s"])
            components.show_sql(loads)
        else:
            st.info(
                "No link's traffic is known in these days: what stations send and receive, and how much of the time they"
                " are active, comes from MRTG's logs, LibreNMS' rrd files, or the interface counters of"
                " Prometheus, Telegraf, collectd or sar where site.toml gives a [[link]] its `port`."
            )
        alone = page.ask("streams_per_station")
        components.show_part(alone, ALONE, words.in_order(alone.rows_of(station=station), "station"))
        return
    since = page.last_days(n_days)
    st.text(f"{n_days} days, from {since} to {page.last}: at least a week, for a station's week is its rhythm")
    # Weeks must not lie over each other: the days to compare with end before these begin.
    until = min(page.before[1], since - timedelta(days=1)) if page.before else None
    if until:
        st.text(f"beside {n_days} days that end with {until}")
    was = (
        {row["direction"]: row for row in earlier.rows}
        if (earlier := page.ask_until("duty_total", until, n_days))
        else {}
    )
    components.heading(total)
    for row in total.rows:
        st.text({"in": "into the stations", "out": "out of them"}[row["direction"]])
        components.show_numbers(
            total, row, ["duty_total", "n_stations", "moved_tb"], was.get(row["direction"], {}) if until else None
        )
    components.show_sql(total, *([earlier] if earlier else []))

    threshold = fields.slide(
        "threshold", "A half-hour is active above [MB/s]", 0.5, 100.0, float(page.site["duty_threshold_mb_s"]), 0.5
    )
    duty = page.ask("duty_at", n_days=n_days, threshold_mb_s=threshold, station=station)
    at = [row for row in duty.rows_of() if row["threshold_mb_s"] == threshold]
    components.heading(duty, f"Duty factor above {threshold:g} MB/s")
    left, right = st.columns(2)
    with left:
        components.show_table(duty, ["station", "direction", "n_bins", "duty_factor"], words.in_order(at, "station"))
    curve = [row for row in duty.rows if row["direction"] == "in" and row["duty_factor"] is not None]
    titles = {"threshold_mb_s": "threshold [MB/s]", "duty_factor": "duty factor, into the station"}
    components.show_chart(
        duty, charts.lines(duty.frame(curve), "threshold_mb_s", "duty_factor", "station", titles, True, 3), place=right
    )
    components.show_sql(duty)
    valley = page.ask("duty_valley", n_days=n_days, station=station)
    components.show_part(valley, VALLEY, words.in_order(valley.rows_of(station=station), "station"))

    traffic = page.ask("traffic", first_day=since, station=station, n=336)
    components.heading(traffic)
    st.caption("Green: out of the station. Blue: into it. Dashed: highest peaks. Orange: the threshold. MB/s, UTC.")
    rows = traffic.frame()
    names = sorted({row["station"] for row in traffic.rows}, key=words.natural)
    high = max((row["max_mb_s"] for row in traffic.rows), default=1.0)
    places = st.columns(min(2, max(1, len(names))))
    for number, name in enumerate(names):
        chart = charts.traffic(rows.filter(rows["station"] == name), name, threshold, high, page.span(since))
        components.show_chart(traffic, chart, f"Station {name}", places[number % 2])
    components.show_sql(traffic)

    table = page.ask("duty_table", n_days=n_days)
    components.heading(table)
    components.show_table(table, TABLE, words.in_order(table.rows_of(station=station), "station"))
    if before := page.ask_until("duty_table", until, n_days):
        st.caption(f"The same of {n_days} days that end with {until}:")
        components.show_table(before, TABLE, words.in_order(before.rows_of(station=station), "station"))
    components.show_sql(table, *([before] if before else []))
    streams = page.ask("stream_efficiency", n_days=n_days)
    components.show_part(streams, STREAMS, words.in_order(streams.rows_of(station=station), "station"))
    hops = page.ask("flow_hops", first_day=since, station=station)
    components.show_part(
        hops, hops.names, words.in_order([row for row in hops.rows if row["moved_gb"] is not None], "station")
    )
    balance = page.ask("unbalanced_stations", first_day=since, share=0)
    components.show_part(balance, BALANCE, balance.rows_of(station=station), text="What came in and what went out")
